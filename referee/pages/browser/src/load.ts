// Reads the document that is embedded in the page: base64 of gzip of JSON.
import { FORMAT, type GameDocument } from "./document";

export async function decode(base64: string): Promise<GameDocument> {
  const bytes = Uint8Array.from(atob(base64.replace(/\s/g, "")), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const document = (await new Response(stream).json()) as GameDocument;
  if ((document.format ?? FORMAT) > FORMAT) {
    throw new Error(`this page was written in format ${document.format}, and its script knows format ${FORMAT}`);
  }
  return document;
}
