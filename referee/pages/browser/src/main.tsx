// Reads the document out of the page and shows it.
import { render } from "preact";
import { decode } from "./load";
import { Page } from "./page";
import { Timeline } from "./timeline";
import "./page.css";

async function show(): Promise<void> {
  const root = document.getElementById("page");
  if (!root) return;
  if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
  try {
    const game = await decode(document.getElementById("document")?.textContent ?? "");
    if (game.css) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(game.css);
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }
    root.textContent = "";
    render(<Page timeline={new Timeline(game)} />, root);
  } catch (error) {
    root.textContent = `This page can't be shown: ${error instanceof Error ? error.message : String(error)}. It needs a browser of 2023 or later.`;
  }
}

void show();
