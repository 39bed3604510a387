// Builds and runs the target of wire tests and load tools: `npm run conformance`.

import { spawn, spawnSync } from "node:child_process";

if (process.argv.includes("--help")) {
  console.log(`npm run conformance

Builds the package and examples/conformance, and serves it in production mode on
127.0.0.1, port CONFORMANCE_PORT (default 9201), until it is stopped.`);
  process.exit(0);
}

for (const command of [
  "node scripts/build.mjs",
  "npx --no-install tsc -p examples/conformance/tsconfig.json",
]) {
  const { status } = spawnSync(command, { shell: true, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const server = spawn(process.execPath, [".build/conformance/main.js"], {
  stdio: "inherit",
  env: { ...process.env, FRAMEWORK_PROFILE: "prod" },
});
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code) => process.exit(code ?? 1));
