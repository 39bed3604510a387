// What /status says.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { FrameworkConfig } from "#config/config.js";
import { keys } from "#config/keys.js";
import { shownOrigin } from "#config/origin.js";
import { isTestedBinary, type NativeBinding, nativeBinding } from "#http/native/binding.js";
import type { Status } from "../api/status.js";
import { VERSION } from "../version.js";

type Capability = Status["capabilities"][number];

/** The packages of the specification, of which this is one. */
const CRATES: readonly (readonly [name: string, status: "released" | "planned"])[] = [
  ["framework", "released"],
  ["framework-core", "released"],
  ["framework-macros", "released"],
  ["framework-runtime", "released"],
  ["framework-http", "released"],
  ["framework-std", "released"],
  ["framework-audit", "released"],
  ["framework-compliance", "planned"],
  ["framework-inspector", "released"],
  ["framework-openapi", "released"],
];

export interface StatusFacts {
  readonly service: string;
  readonly profile: string;
  readonly production: boolean;
  readonly startedAt: number;
  readonly config: FrameworkConfig | undefined;
  readonly role: "alone" | "worker";
  readonly capabilities: () => readonly Capability[];
  readonly limits: Status["limits"];
  readonly stores: () => Status["stores"];
  readonly addresses: () => string[];
}

/** Answers it for who asks. */
export function statusOf(facts: StatusFacts): (caller: { readonly role: Status["role"] }) => Status {
  const native = lazily(nativeServer);
  return ({ role }) => ({
    service: facts.service,
    profile: facts.profile,
    production: facts.production,
    started_at: facts.startedAt,
    role,
    framework: VERSION,
    schema_version: "1.0",
    api_version: "1.0",
    node: process.versions.node,
    native_server: native(),
    crates: CRATES.map(([name, status]) => ({ name, status, version: VERSION })),
    capabilities: [...facts.capabilities()],
    configuration: configurationOf(facts.config),
    limits: facts.limits,
    stores: facts.stores(),
    processes: [{ pid: process.pid, role: facts.role }],
    addresses: facts.addresses(),
  });
}

/** Its digest is of 7 MB: made when it is first asked for. */
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
    // Upstream's package has a binary for each platform, under other names.
    return null;
  }
}

/** Secrets are redacted by their own toJSON. */
function configurationOf(config: FrameworkConfig | undefined): Status["configuration"] {
  if (config === undefined) return [];
  return keys.map(({ path }) => {
    const origin = config.originOf(path);
    const value: unknown = JSON.parse(JSON.stringify(config.valueOf(path) ?? null));
    return { key: path, value, from: origin === undefined ? "default" : shownOrigin(origin) };
  });
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
