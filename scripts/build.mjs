// Builds dist: `npm run build`. Declarations, one for each module, and the bundles.

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

import { bundle } from "./bundle.mjs";

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("npx --no-install tsc -p src/tsconfig.json", { shell: true, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

await bundle("dist");
