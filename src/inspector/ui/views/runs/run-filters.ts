// Which runs are asked for, from the URL.

import type { TraceQuery } from "../../../api/traces.js";
import type { Place } from "../../url/place.js";

export function queryOf({ params }: Place): TraceQuery {
  const status = params.get("status");
  const min = Number(params.get("min_us"));
  const text = (key: string): string | undefined => params.get(key);
  return withoutUndefined({
    circuit: text("circuit"),
    route: text("route"),
    node: text("node"),
    request_id: text("request"),
    status: status === "completed" || status === "faulted" || status === "aborted" ? status : undefined,
    min_duration_us: Number.isFinite(min) && min > 0 ? min : undefined,
    order: params.get("order") === "slowest" ? "slowest" : undefined,
  });
}

/** "12 ms", "1.5 s", "800 us", "800" (microseconds): what somebody types as a duration. */
export function microseconds(text: string): number | undefined {
  const found = /^\s*(\d+(?:\.\d+)?)\s*(us|µs|ms|s)?\s*$/.exec(text);
  if (found === null) return undefined;
  const unit = found[2] === "s" ? 1e6 : found[2] === "ms" ? 1e3 : 1;
  return Number(found[1]) * unit;
}

/**
 * As somebody would type it: what `microseconds` reads as the same number. "" where it would not:
 * of what is no duration, or is written with an exponent.
 */
export function durationText(us: number): string {
  const unit = us === 0 || us % 1e3 !== 0 ? "us" : us % 1e6 === 0 ? "s" : "ms";
  const text = `${unit === "s" ? us / 1e6 : unit === "ms" ? us / 1e3 : us} ${unit}`;
  return microseconds(text) === us ? text : "";
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}
