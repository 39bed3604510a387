// The header `traceparent` (W3C Trace Context, level 2, section 3.2):
//
//     00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
//     version, trace, the caller's part of it, flags

import type { TraceContext } from "#core/facts/ingress-facts.js";
import { isZero } from "./trace-ids.js";

/** The caller's trace context. */
export type Caller = Pick<TraceContext, "traceId" | "sampled" | "random"> & {
  readonly spanId: string;
};

const SAMPLED = 1;
const RANDOM = 2;

// Later versions may append fields after the flags, each after a dash.
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined if invalid: a new trace begins. */
export function parseTraceparent(text: string): Caller | undefined {
  const [, version, traceId, spanId, digits, rest] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || version === "ff") return undefined;
  if (version === "00" && rest !== undefined) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  const flags = Number.parseInt(digits as string, 16);
  return { traceId, spanId, sampled: (flags & SAMPLED) !== 0, random: (flags & RANDOM) !== 0 };
}

// Without groups: most requests are not sampled, and this test builds no strings.
const UNSAMPLED = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f][02468ace]$/;

/** True for a valid header of version 00 without the sampled flag. */
export const saysUnsampled = (text: string): boolean => UNSAMPLED.test(text);

/** Always version 00. Unknown flags are dropped. */
export function formatTraceparent({ traceId, spanId, sampled, random }: Caller): string {
  return `00-${traceId}-${spanId}-0${(sampled ? SAMPLED : 0) | (random ? RANDOM : 0)}`;
}
