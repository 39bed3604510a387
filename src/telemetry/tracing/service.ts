// The OpenTelemetry resource: attributes of the process for all its spans.

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { FrameworkConfig } from "#config/config.js";

type Attributes = Readonly<Record<string, string>>;

/**
 * Configured attributes win over detected ones. A configured service name wins over the attribute
 * service.name.
 */
export function serviceAttributes(config: FrameworkConfig): Attributes {
  const { serviceName, resourceAttributes } = config.telemetry;
  const { version } = applicationOf(process.argv[1]);
  return {
    "service.name": serviceName,
    ...(version !== undefined && { "service.version": version }),
    "service.instance.id": instanceId,
    ...resourceAttributes,
    ...(config.isSet("telemetry.service_name") && { "service.name": serviceName }),
    // Identifies the distribution that configured the SDK.
    "telemetry.distro.name": "framework",
    "telemetry.distro.version": frameworkVersion(),
  };
}

/** One per process, including workers. */
const instanceId = randomUUID();

export interface Application {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Name and version in the nearest package.json above a program, as far as it has them. */
export function applicationOf(program: string | undefined): Application {
  if (program === undefined) return {};
  const folder = dirname(program);
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) return factsIn(manifest);
  return folder === program ? {} : applicationOf(folder);
}

/** This package's manifest is the nearest, in src and in dist. */
export const frameworkVersion = (): string => applicationOf(fileURLToPath(import.meta.url)).version ?? "";

function factsIn(manifest: string): Application {
  try {
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
    return { name: filled(name), version: filled(version) };
  } catch {
    return {};
  }
}

const filled = (text: unknown): string | undefined =>
  typeof text === "string" && text !== "" ? text : undefined;
