// Bundles the page's script and style sheet into a folder: `node build.mjs FOLDER`; or runs the unit tests: `--tests`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const common = { absWorkingDir: here, bundle: true, jsx: "automatic", jsxImportSource: "preact", logLevel: "warning" };

if (process.argv[2] === "--tests") {
  const folder = mkdtempSync(join(tmpdir(), "referee-pages-"));
  try {
    const entryPoints = readdirSync(join(here, "tests")).filter((name) => /\.test\.tsx?$/.test(name)).map((name) => `tests/${name}`);
    await build({ ...common, entryPoints, outdir: folder, outExtension: { ".js": ".mjs" }, format: "esm", platform: "node" });
    const files = readdirSync(folder).map((name) => join(folder, name));
    process.exitCode = spawnSync(process.execPath, ["--test", "--test-reporter=dot", ...files], { stdio: "inherit" }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
} else {
  await build({
    ...common,
    entryPoints: { page: "src/main.tsx" },
    outdir: process.argv[2],
    format: "esm",
    target: ["es2022"],
    minify: true,
    charset: "utf8",
    legalComments: "none",
  });
}
