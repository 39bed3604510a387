// Builds the Inspector's page: into dist/inspector/ui for the package, and into
// .build/inspector-ui for programs that run from source. `npm start` and the tests
// build that one when it is missing or older than what it is made of.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { builtFolder } from "./built-folder.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = join(ROOT, "src/inspector/ui");
/** The page shares the parser of conditions, the visits of a Timeline and the states of kept runs with the server. */
const SHARED = ["src/inspector/breakpoints", "src/inspector/traces", "src/core/ports"].map((folder) =>
  join(ROOT, folder),
);

/** Writes index.html and assets/. No script or style stands in the page itself: it is served under a strict policy. */
export async function buildInspectorUi(outDir) {
  const { build } = await import("vite");
  await build({
    root: SOURCE,
    base: "./",
    configFile: false,
    envDir: false,
    logLevel: "warn",
    publicDir: false,
    resolve: { alias: [{ find: /^#core\/(.*)\.js$/, replacement: `${join(ROOT, "src/core")}/$1.ts` }] },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: false,
      target: "es2023",
      reportCompressedSize: false,
    },
  });
  // Beside each file: browsers take no brotli without TLS.
  const assets = join(outDir, "assets");
  for (const name of readdirSync(assets))
    writeFileSync(join(assets, `${name}.gz`), gzipSync(readFileSync(join(assets, name)), { level: 9 }));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sources = [SOURCE, ...SHARED].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
  );
  await builtFolder({
    folder: join(ROOT, ".build/inspector-ui"),
    sources: [...sources, fileURLToPath(import.meta.url)],
    build: buildInspectorUi,
  });
}
