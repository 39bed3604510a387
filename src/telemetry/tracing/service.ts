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
  const version = applicationVersion(process.argv[1]);
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

/** The version in the nearest package.json above a program; undefined without one. */
export function applicationVersion(program: string | undefined): string | undefined {
  if (program === undefined) return undefined;
  const folder = dirname(program);
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) return versionIn(manifest);
  return folder === program ? undefined : applicationVersion(folder);
}

/** This package's manifest is the nearest, in src and in dist. */
export const frameworkVersion = (): string => applicationVersion(fileURLToPath(import.meta.url)) ?? "";

function versionIn(manifest: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version?: unknown };
    return typeof version === "string" && version !== "" ? version : undefined;
  } catch {
    return undefined;
  }
}
