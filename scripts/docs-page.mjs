// Builds the files of the page that shows the OpenAPI document: into dist/openapi/docs
// for the package, and into .build/openapi-docs for programs that run from source. Swagger UI
// and what src/openapi/docs/page adds to it become one script and one style.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { builtFolder } from "./built-folder.mjs";
import { SWAGGER_UI, vendoredFiles } from "./vendored-package.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = join(ROOT, "src/openapi/docs/page");
const LICENSES = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"];

/**
 * Writes assets/ with the script and the style, whose names have a hash of what is in them, and
 * the licences beside it. Compressed by gzip alone: over plain http browsers take no brotli.
 */
export function buildDocsPage(outDir) {
  const files = ["swagger-ui-bundle.js", "swagger-ui.css", ...LICENSES];
  const [script, style, ...licenses] = vendoredFiles(SWAGGER_UI, files, join(ROOT, ".build/vendor"));
  mkdirSync(join(outDir, "assets"), { recursive: true });
  for (const [vendored, extension] of [
    [script, "js"],
    // Its map is not served.
    [style.replace(/\/\*# sourceMappingURL=.*?\*\//, ""), "css"],
  ]) {
    const text = `${vendored}\n${readFileSync(join(SOURCE, `docs.${extension}`), "utf8")}`;
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const file = join(outDir, "assets", `docs.${hash}.${extension}`);
    writeFileSync(file, text);
    writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
  }
  for (const [i, name] of LICENSES.entries()) writeFileSync(join(outDir, name), licenses[i]);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const scripts = ["docs-page.mjs", "vendored-package.mjs"].map((name) => join(ROOT, "scripts", name));
  await builtFolder({
    folder: join(ROOT, ".build/openapi-docs"),
    sources: [...readdirSync(SOURCE).map((name) => join(SOURCE, name)), ...scripts],
    build: buildDocsPage,
  });
}
