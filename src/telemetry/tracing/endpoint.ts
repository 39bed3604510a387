import { FrameworkError } from "#core/errors.js";
import type { Protocol } from "./packages.js";

const TRACES = "/v1/traces";

/**
 * Where the exporter sends to: over HTTP the endpoint is a base, below which traces have their
 * path, unless it names that already. Throws CONFIG_INVALID for credentials, which would go unsent.
 */
export function exportUrl(endpoint: string, protocol: Protocol): string {
  const url = new URL(endpoint);
  if (url.username !== "" || url.password !== "")
    throw new FrameworkError(
      "CONFIG_INVALID",
      `telemetry.otlp_endpoint has a user or a password, which OTLP does not send: put credentials into OTEL_EXPORTER_OTLP_HEADERS, as in "authorization=Basic ..."`,
    );
  if (protocol === "grpc") return `${url.protocol}//${url.host}`;
  if (!url.pathname.endsWith(TRACES)) url.pathname = url.pathname.replace(/\/*$/, TRACES);
  return url.href;
}
