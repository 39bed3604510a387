import { readFileSync } from "node:fs";
import { cpus } from "node:os";

import { generator } from "../measure/load.mjs";

/** When, where and how a run was made. */
export const describeRun = () => ({
  // As ISO 8601 writes it, of the place where it runs.
  date: new Date().toLocaleDateString("sv"),
  node: process.versions.node,
  os: systemName(),
  cores: cpus().length,
  generator,
  peers: peerVersions(),
});

function systemName() {
  const { platform, arch } = process;
  if (platform !== "linux") return `${platform} ${arch}`;
  const name = /^NAME="?([^"\n]+)"?$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "Linux";
  const version = /^VERSION_ID="?([^"\n]+)"?$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  return `${name.replace(" GNU/Linux", "")} ${version}`.trim();
}

function peerVersions() {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return Object.fromEntries(
    Object.entries(manifest.dependencies).map(([name, version]) => [name, version.replace(/^npm:.*@/, "")]),
  );
}
