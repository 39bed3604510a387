import type { FrameworkConfig } from "#config/config.js";
import { FrameworkError } from "#core/errors.js";

export type Protocol = "grpc" | "http";

const TRACES = "/v1/traces";

/** The address for traces. */
export interface Target {
  readonly endpoint: string;
  /** True if it is the endpoint of traces; false if it is the base of all signals' paths. */
  readonly isForTraces: boolean;
}

/**
 * Undefined if no endpoint is set. An endpoint for traces wins over one for all signals, whatever
 * layer sets it.
 */
export function targetOf({ telemetry }: Pick<FrameworkConfig, "telemetry">): Target | undefined {
  const { otlpTracesEndpoint, otlpEndpoint } = telemetry;
  if (otlpTracesEndpoint !== undefined) return { endpoint: otlpTracesEndpoint.reveal(), isForTraces: true };
  return otlpEndpoint && { endpoint: otlpEndpoint.reveal(), isForTraces: false };
}

/**
 * The URL of the exporter. Over HTTP the endpoint of all signals is a base, to which the path of
 * traces is added unless present. Throws CONFIG_INVALID for credentials, which would not be sent.
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
