// What is said of the process in each of its spans: the resource of OpenTelemetry.

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { FrameworkConfig } from "#config/config.js";

type Attributes = Readonly<Record<string, string>>;

/** What is configured wins over what is known here; service.name over the attribute of that name where it is set. */
export function serviceAttributes(config: FrameworkConfig): Attributes {
  const { serviceName, resourceAttributes } = config.telemetry;
  const version = applicationVersion(process.argv[1]);
  return {
    "service.name": serviceName,
    ...(version !== undefined && { "service.version": version }),
    "service.instance.id": instanceId,
    ...resourceAttributes,
    ...(config.isSet("telemetry.service_name") && { "service.name": serviceName }),
    // The conventions' place for who has set the SDK up.
    "telemetry.distro.name": "framework",
    "telemetry.distro.version": frameworkVersion(),
  };
}

/** One for each process, workers included. */
const instanceId = randomUUID();

/** What the nearest package.json above a program says; undefined where none does. */
export function applicationVersion(program: string | undefined): string | undefined {
  if (program === undefined) return undefined;
  const folder = dirname(program);
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) return versionIn(manifest);
  return folder === program ? undefined : applicationVersion(folder);
}

/** This package's own: its manifest is the nearest, in src as in dist. */
export const frameworkVersion = (): string => applicationVersion(fileURLToPath(import.meta.url)) ?? "";

function versionIn(manifest: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version?: unknown };
    return typeof version === "string" && version !== "" ? version : undefined;
  } catch {
    return undefined;
  }
}
