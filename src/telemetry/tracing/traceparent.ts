// The header `traceparent` (W3C Trace Context, level 2, section 3.2):
//
//     00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
//     version, trace, the caller's part of it, flags

import type { TraceContext } from "#core/facts/ingress-facts.js";
import { isZero } from "./trace-ids.js";

/** What a caller says of the trace that it belongs to. */
export type Caller = Pick<TraceContext, "traceId" | "sampled" | "random"> & {
  readonly spanId: string;
};

const SAMPLED = 1;
const RANDOM = 2;

// Later versions may add fields behind the flags, each behind a dash.
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined where it is not valid: then a new trace begins. */
export function parseTraceparent(text: string): Caller | undefined {
  const [, version, traceId, spanId, digits, rest] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || version === "ff") return undefined;
  if (version === "00" && rest !== undefined) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  const flags = Number.parseInt(digits as string, 16);
  return { traceId, spanId, sampled: (flags & SAMPLED) !== 0, random: (flags & RANDOM) !== 0 };
}

// Without groups: what it is asked of is mostly not kept, and then costs no text.
const UNSAMPLED = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f][02468ace]$/;

/** Whether it is valid, of version 00, and says that its trace is not kept. */
export const saysUnsampled = (text: string): boolean => UNSAMPLED.test(text);

/** In version 00, whichever came in. Flags that nobody here knows are not passed on. */
export function formatTraceparent({ traceId, spanId, sampled, random }: Caller): string {
  return `00-${traceId}-${spanId}-0${(sampled ? SAMPLED : 0) | (random ? RANDOM : 0)}`;
}
