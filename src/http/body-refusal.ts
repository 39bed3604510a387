import type { Reader } from "./extraction.js";
import { tooLarge } from "./native/body.js";
import type { Exchange } from "./native/exchange.js";
import { Refusal } from "./refusal.js";

const ENCODED = new Refusal("MEDIA_TYPE_UNSUPPORTED", {
  detail: "Send the body without a content encoding",
  headers: { "accept-encoding": "identity" },
});
/** Why a body is refused by what the head says of it, before any of it is read; or null. */
export function refusalOfBody(
  { bodyLength, contentType, contentEncoding }: Exchange,
  limit: number,
  { readsBody, media }: Reader,
): Refusal | null {
  if (bodyLength === 0) return null;
  if (bodyLength > limit) return tooLarge(limit);
  if (!readsBody) return null;
  if (contentEncoding !== "" && contentEncoding.toLowerCase() !== "identity") return ENCODED;
  return media === undefined || media.accepts(contentType) ? null : media.refusal;
}
