import type { Reporter } from "#core/reporter.js";
import type { Exchange } from "./native/exchange.js";
import { reportIds } from "./report-ids.js";

export function reportUnstored(reporter: Reporter, axon: string, exchange: Exchange, error: unknown): void {
  const message = "What a client sent could not be written to a file, or the file not removed";
  reporter({ code: "STORAGE_FAILED", message, error, axon, ...reportIds(exchange) });
}
