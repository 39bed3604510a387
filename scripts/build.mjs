// Builds dist: `npm run build`. Declarations of what the entries reach, the bundles, the Inspector's page and that of docs().

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve } from "node:path";

import { bundle } from "./bundle.mjs";
import { commandLine } from "./command-line.mjs";
import { trimDeclarations } from "./declarations.mjs";
import { buildDocsPage } from "./docs-page.mjs";
import { buildInspectorUi } from "./inspector-ui.mjs";

commandLine(`npm run build

Makes dist anew: the bundles, declarations of what its entries reach, the Inspector's page and that of docs().`);

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("npx --no-install tsc -p src/tsconfig.json", { shell: true, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
trimDeclarations(".");

await bundle("dist");
await buildInspectorUi(resolve("dist/inspector/ui"));
buildDocsPage(resolve("dist/openapi/docs"));
