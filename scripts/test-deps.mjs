// Installs the Debian packages that tests and benchmarks use: `npm run test:deps`.
// Needs no node_modules, so that it can run first.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

import { commandLine } from "./command-line.mjs";

/** Package by the program that it provides. */
const PACKAGES = {
  chromium: "chromium",
  curl: "curl",
  git: "git",
  haproxy: "haproxy",
  ip: "iproute2",
  nginx: "nginx",
  pgbouncer: "pgbouncer",
  postgres: "postgresql",
  prometheus: "prometheus",
  promtool: "prometheus",
  "redis-server": "redis-server",
  testssl: "testssl.sh",
  wrk: "wrk",
};

commandLine(`npm run test:deps

Installs with apt-get what is missing of: ${[...new Set(Object.values(PACKAGES))].join(", ")}.`);

const missing = Object.entries(PACKAGES).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));
if (missing.length === 0) {
  console.log("Nothing to install.");
} else {
  const sudo = process.getuid() === 0 ? [] : ["sudo"];
  run([...sudo, "apt-get", "update", "-qq"]);
  run([...sudo, "apt-get", "install", "-y", "-qq", "--no-install-recommends", ...missing]);
}

function isInstalled(program) {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore", env: withSystemPath() });
    return true;
  } catch {
    return false;
  }
}

// Daemons are in folders that a PATH may lack; PostgreSQL has one for each version.
function withSystemPath() {
  const postgres = "/usr/lib/postgresql";
  const versions = existsSync(postgres) ? readdirSync(postgres) : [];
  const folders = ["/usr/sbin", "/sbin", ...versions.map((version) => `${postgres}/${version}/bin`)];
  return { ...process.env, PATH: [process.env.PATH, ...folders].join(":") };
}

function run([command, ...args]) {
  console.log(`$ ${[command, ...args].join(" ")}`);
  execFileSync(command, args, {
    stdio: "inherit",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
