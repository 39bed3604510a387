// Loads OpenTelemetry, only if traces are exported: some 100 ms, and 20 MB of heap.

import { createRequire } from "node:module";
import type * as Api from "@opentelemetry/api";
import type * as Grpc from "@opentelemetry/exporter-trace-otlp-grpc";
import type * as Proto from "@opentelemetry/exporter-trace-otlp-proto";
import type * as Resources from "@opentelemetry/resources";
import type * as Sdk from "@opentelemetry/sdk-trace";

import { FrameworkError } from "#core/errors.js";
import type { Protocol } from "./endpoint.js";

export interface TracingPackages {
  readonly api: typeof Api;
  readonly sdk: typeof Sdk;
  readonly resources: typeof Resources;
  readonly makeExporter: (options: ExporterOptions) => Sdk.SpanExporter;
}

interface ExporterOptions {
  readonly url: string;
  readonly timeoutMillis: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The versions in package.json; a test compares them. */
export const VERSIONS = {
  sdk: ["@opentelemetry/sdk-trace", "2.12.1"],
  resources: ["@opentelemetry/resources", "2.12.1"],
  grpc: ["@opentelemetry/exporter-trace-otlp-grpc", "0.223.1"],
  http: ["@opentelemetry/exporter-trace-otlp-proto", "0.223.1"],
} as const;

/** Throws TELEMETRY_UNAVAILABLE for a missing package, with the command to install it. */
export function tracingPackages(
  protocol: Protocol,
  load: (name: string) => unknown = createRequire(import.meta.url),
): TracingPackages {
  const [sdk, resources, exporter] = [VERSIONS.sdk, VERSIONS.resources, VERSIONS[protocol]];
  try {
    const makeExporter =
      protocol === "grpc"
        ? grpcExporter(load(exporter[0]) as typeof Grpc)
        : httpExporter(load(exporter[0]) as typeof Proto);
    return {
      api: load("@opentelemetry/api") as typeof Api,
      sdk: load(sdk[0]) as typeof Sdk,
      resources: load(resources[0]) as typeof Resources,
      makeExporter,
    };
  } catch (cause) {
    const command = [sdk, resources, exporter].map((versioned) => versioned.join("@")).join(" ");
    throw new FrameworkError(
      "TELEMETRY_UNAVAILABLE",
      `an endpoint of telemetry is set, and what sends traces over ${protocol} cannot be loaded: run "npm install ${command}", or remove the endpoint`,
      { cause },
    );
  }
}

/** The same without an exporter, for spans that are not sent. */
export function spanPackages(
  load: (name: string) => unknown = createRequire(import.meta.url),
): Pick<TracingPackages, "api" | "sdk"> {
  const [name] = VERSIONS.sdk;
  try {
    return { api: load("@opentelemetry/api") as typeof Api, sdk: load(name) as typeof Sdk };
  } catch (cause) {
    throw new FrameworkError(
      "TELEMETRY_UNAVAILABLE",
      `inspector({ spans }) needs OpenTelemetry: run "npm install ${VERSIONS.sdk.join("@")}", or leave out spans`,
      { cause },
    );
  }
}

const httpExporter =
  ({ OTLPTraceExporter }: typeof Proto): TracingPackages["makeExporter"] =>
  ({ headers, ...options }) =>
    new OTLPTraceExporter({ ...options, headers: { ...headers } });

/** gRPC headers are metadata; the exporter copies them and reads the strings. */
const grpcExporter =
  ({ OTLPTraceExporter }: typeof Grpc): TracingPackages["makeExporter"] =>
  ({ headers, ...options }) => {
    type Metadata = NonNullable<NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>["metadata"]>;
    const copy = { getMap: () => ({ ...headers }) } as Metadata;
    const metadata = { ...copy, clone: () => copy } as Metadata;
    return new OTLPTraceExporter({ ...options, metadata });
  };
