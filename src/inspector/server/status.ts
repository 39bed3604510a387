// The response of /status.

import type { FrameworkConfig } from "#config/config.js";
import { keys } from "#config/keys.js";
import { shownOrigin } from "#config/origin.js";
import { applicationOf } from "#telemetry/tracing/service.js";
import type { Status } from "../api/status.js";
import { packageFacts } from "./package-facts.js";

type Capability = Status["capabilities"][number];

export interface StatusFacts {
  readonly service: string;
  readonly service_version: string | null;
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

export function statusOf(facts: StatusFacts): (caller: { readonly role: Status["role"] }) => Status {
  const ofPackage = lazily(packageFacts);
  return ({ role }) => ({
    service: facts.service,
    service_version: facts.service_version,
    profile: facts.profile,
    production: facts.production,
    started_at: facts.startedAt,
    role,
    ...ofPackage(),
    capabilities: [...facts.capabilities()],
    configuration: configurationOf(facts.config),
    limits: facts.limits,
    stores: facts.stores(),
    processes: [{ pid: process.pid, role: facts.role }],
    addresses: facts.addresses(),
  });
}

/** As traces name it; without a configured name, as the program's package.json does. */
export function serviceOf(config: FrameworkConfig | undefined): Pick<Status, "service" | "service_version"> {
  const { name, version } = applicationOf(process.argv[1]);
  const named = config?.telemetry;
  const isNamed = config?.isSet("telemetry.service_name") === true;
  return {
    service:
      (isNamed ? undefined : (named?.resourceAttributes["service.name"] ?? name)) ??
      named?.serviceName ??
      "framework",
    service_version: named?.resourceAttributes["service.version"] ?? version ?? null,
  };
}

/** Secrets redact themselves in toJSON. */
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
