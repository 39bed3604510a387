// A server whose traces go to a receiver.

import type { FrameworkConfig } from "#config/config.js";
import { initTelemetry } from "#telemetry/init-telemetry.js";
import { loaded } from "./config-folder.js";
import { httpReceiver, type OtlpReceiver } from "./otlp-receiver.js";
import type { ReceivedSpan } from "./otlp-spans.js";

export interface TracedTo {
  readonly config: FrameworkConfig;
  readonly receiver: OtlpReceiver;
  /** Sends what there is, and answers all that has ever come. */
  readonly spans: () => Promise<readonly ReceivedSpan[]>;
}

/** A configuration with a receiver of its own, which is closed when `use` is done. */
export async function traced(toml: string, use: (to: TracedTo) => Promise<void>): Promise<void> {
  const receiver = await httpReceiver();
  const config = loaded(
    `telemetry.otlp_endpoint = "${receiver.endpoint}"\ntelemetry.otlp_protocol = "http"\n${toml}`,
  );
  const spans = async () => {
    await initTelemetry(config)?.flush();
    return receiver.spans;
  };
  try {
    await use({ config, receiver, spans });
  } finally {
    await receiver.close();
  }
}

/** Runs it and closes what it serves. */
export async function serving<S extends { readonly address: string; close(): Promise<void> }>(
  server: Promise<S>,
  use: (url: string, server: S) => Promise<void>,
): Promise<void> {
  const running = await server;
  try {
    await use(`http://${running.address}`, running);
  } finally {
    await running.close();
  }
}
