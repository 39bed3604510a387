import type { FrameworkConfig } from "#config/config.js";
import { FrameworkError } from "#core/errors.js";
import type { Protocol } from "./packages.js";

const TRACES = "/v1/traces";

/** Where traces go. */
export interface Target {
  readonly endpoint: string;
  /** Whether it is that of traces already, and not the one below which each signal has a path. */
  readonly isForTraces: boolean;
}

/** Undefined where no endpoint is set. That of traces comes first, whichever layers they are of. */
export function targetOf({ telemetry }: Pick<FrameworkConfig, "telemetry">): Target | undefined {
  const { otlpTracesEndpoint, otlpEndpoint } = telemetry;
  if (otlpTracesEndpoint !== undefined) return { endpoint: otlpTracesEndpoint.reveal(), isForTraces: true };
  return otlpEndpoint && { endpoint: otlpEndpoint.reveal(), isForTraces: false };
}

/**
 * Where the exporter sends to: over HTTP the endpoint of all signals is a base, below which traces
 * have their path, unless it names that already. Throws CONFIG_INVALID for credentials, which would
 * go unsent.
 */
export function exportUrl({ endpoint, isForTraces }: Target, protocol: Protocol): string {
  const url = new URL(endpoint);
  if (url.username !== "" || url.password !== "")
    throw new FrameworkError(
      "CONFIG_INVALID",
      `telemetry.otlp_${isForTraces ? "traces_" : ""}endpoint has a user or a password, which OTLP does not send: put credentials into telemetry.otlp_headers, or OTEL_EXPORTER_OTLP_HEADERS, as in "authorization=Basic ..."`,
    );
  if (protocol === "grpc") return `${url.protocol}//${url.host}`;
  if (isForTraces) return endpoint;
  if (!url.pathname.endsWith(TRACES)) url.pathname = url.pathname.replace(/\/*$/, TRACES);
  return url.href;
}
