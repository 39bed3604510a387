import type { Exchange } from "./native/exchange.js";

/**
 * To be called before a 304 is sent. What it says is written over what a cache has (RFC 9111,
 * section 3.2), and a policy that was made for this request has another nonce than the page
 * that is kept: its scripts would not run any more. So the page keeps the policy it came with.
 */
export const keepPolicyOfPage = (exchange: Exchange): void =>
  exchange.giveWay("\r\ncontent-security-policy: ");
