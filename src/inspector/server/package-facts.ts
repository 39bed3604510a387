// Facts about this package that need no server: for /status and `framework status`.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { isTestedBinary, type NativeBinding, nativeBinding } from "#http/native/binding.js";
import { STORE_VERSION } from "#store/sql/migrations.js";
import type { Status } from "../api/status.js";
import { VERSION } from "../api/version.js";
import { FEED_PROTOCOL } from "../door/door.js";

/** The specification's packages, including this one. */
const CRATES: readonly (readonly [name: string, status: "released" | "planned"])[] = [
  ["framework", "released"],
  ["framework-core", "released"],
  ["framework-macros", "released"],
  ["framework-runtime", "released"],
  ["framework-http", "released"],
  ["framework-std", "released"],
  ["framework-audit", "released"],
  ["framework-compliance", "released"],
  ["framework-inspector", "released"],
  ["framework-openapi", "released"],
];

export type PackageFacts = Pick<
  Status,
  "framework" | "schema_version" | "api_version" | "node" | "native_server" | "crates" | "artefacts"
>;

/** Throws NATIVE_UNAVAILABLE. Hashes 7 MB. */
export const packageFacts = (): PackageFacts => ({
  framework: VERSION,
  schema_version: "1.0",
  api_version: "1.0",
  node: process.versions.node,
  native_server: nativeServer(),
  crates: CRATES.map(([name, status]) => ({ name, status, version: VERSION })),
  artefacts: [
    { name: "schematic", version: "1.0" },
    { name: "inspector API", version: "1.0" },
    { name: "inspector feed", version: FEED_PROTOCOL },
    { name: "store tables", version: String(STORE_VERSION) },
  ],
});

function nativeServer(): Status["native_server"] {
  const binding = nativeBinding();
  const at = binding.source.lastIndexOf("@");
  return {
    source: binding.source,
    version: at > 0 ? binding.source.slice(at + 1) : null,
    sha256: digestOf(binding),
    is_tested: isTestedBinary(binding) === true,
  };
}

function digestOf({ file }: NativeBinding): string | null {
  try {
    const bytes = readFileSync(join(dirname(file), "uws.node"));
    return createHash("sha256").update(bytes).digest("hex");
  } catch {
    // The upstream package names its binaries differently.
    return null;
  }
}
