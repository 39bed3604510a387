import type { Exchange } from "./native/exchange.js";

/** A policy that somebody has made for this answer, with a nonce in it. */
const NONCED = /\r\n(content-security-policy(?:-report-only)?: )[^\r]*'nonce-/gi;

/**
 * To be called before a 304 is sent. What it says is written over what a cache has (RFC 9111,
 * section 3.2), and a policy that was made for this request has another nonce than the page
 * that is kept: its scripts would not run any more. So the page keeps the policy it came with.
 * A policy without one holds for any page, and is as new as this answer.
 */
export function keepPolicyOfPage(exchange: Exchange): void {
  for (const [, name] of exchange.lines.matchAll(NONCED)) exchange.giveWay(`\r\n${name}`);
}
