// Builds dist: `npm run build`.

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("npx --no-install tsc -p src/tsconfig.json", { shell: true, stdio: "inherit" });
process.exit(status ?? 1);
