// Files of registry packages that are copied into ours instead of being dependencies.
// `npm pack`, which runs no script of the package, fetches a tarball once into
// .build/vendor; it is used only if its SHA-512 is the one below.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** As a dependency it would run the telemetry of @scarf/scarf at each install. */
export const SWAGGER_UI = {
  name: "swagger-ui-dist",
  version: "5.35.0",
  sha512: "U06rpMtW9V3XPGOBeamTUSr0Z09jMX4IJuANpE/EZbAhw0G8CgwrzU4YmXkn/h0wCDNsXdGarTNNHC3sU8yVUQ==",
};

/** Texts of the named files of a package, in their order. Throws if it cannot be fetched or has another hash. */
export function vendoredFiles(vendored, files, folder) {
  const tarball = tarballOf(vendored, folder);
  return files.map((file) => run("tar", ["-xzOf", tarball, `package/${file}`], vendored));
}

function tarballOf(vendored, folder) {
  const { name, version } = vendored;
  const kept = join(folder, `${name}-${version}.tgz`);
  if (hasSum(kept, vendored)) return kept;
  const fetched = join(folder, `fetched-${process.pid}`);
  mkdirSync(fetched, { recursive: true });
  try {
    // npm uses its own cache first: then a build needs no network.
    run("npm", ["pack", "--prefer-offline", "--pack-destination", fetched, `${name}@${version}`], vendored);
    const tarball = join(fetched, `${name}-${version}.tgz`);
    if (!hasSum(tarball, vendored))
      throw new Error(
        `${name}@${version} as fetched does not have the SHA-512 of scripts/vendored-package.mjs: do not use it`,
      );
    renameSync(tarball, kept);
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
  return kept;
}

function hasSum(file, { sha512 }) {
  try {
    return createHash("sha512").update(readFileSync(file)).digest("base64") === sha512;
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

function run(command, args, { name, version }) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status === 0) return stdout;
  const why = error?.message ?? stderr.trim();
  throw new Error(`${name}@${version} could not be taken from the registry by ${command}: ${why}`);
}
