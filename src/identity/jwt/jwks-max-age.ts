export interface AgeBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

// s-maxage is for shared caches (RFC 9111, section 5.2.2.10).
const MAX_AGE = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})/i;
const UNCACHED = /(?:^|[\s,])no-(?:store|cache)\b/i;

/**
 * Freshness time of a response in milliseconds, by its Cache-Control and Age (RFC 9111, section
 * 4.2). A server may shorten the configured time but not extend it: a removed key would stay valid.
 */
export function maxAgeOf(headers: Headers, { minMs, maxMs }: AgeBounds): number {
  const control = headers.get("cache-control") ?? "";
  if (UNCACHED.test(control)) return minMs;
  const seconds = MAX_AGE.exec(control)?.[1];
  if (seconds === undefined) return maxMs;
  const age = /^\d{1,10}$/.exec(headers.get("age") ?? "")?.[0] ?? "0";
  return Math.min(Math.max((Number(seconds) - Number(age)) * 1000, minMs), maxMs);
}
