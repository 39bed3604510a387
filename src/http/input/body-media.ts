import { isInUtf8, parseContentType } from "#core/wire/content-type.js";
import { tooLarge } from "../exchange/body.js";
import type { Exchange } from "../exchange/exchange.js";
import { Refusal } from "../refusal/refusal.js";

/** The content types of a body. */
export interface BodyMedia {
  readonly accepts: (contentType: string) => boolean;
  readonly refusal: Refusal;
}

/** True if a reader reads the body, and its content types; undefined for any. */
interface BodyUse {
  readonly readsBody: boolean;
  readonly media: BodyMedia | undefined;
}

const JSON_TYPE = /^application\/(?:[^/]+\+)?json$/;

/** JSON in UTF-8. */
export function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const parsed = parseContentType(contentType);
  return parsed !== undefined && JSON_TYPE.test(parsed.type) && isInUtf8(parsed);
}

/** A form in UTF-8. */
export function isForm(contentType: string): boolean {
  const parsed = parseContentType(contentType);
  return parsed?.type === "application/x-www-form-urlencoded" && isInUtf8(parsed);
}

/** The reader checks the boundary. */
const isMultipart = (contentType: string): boolean => /^multipart\/form-data[ \t]*(?:;|$)/i.test(contentType);

const unsupported = (detail: string, type: string): Refusal =>
  new Refusal("MEDIA_TYPE_UNSUPPORTED", { detail, headers: { "accept-post": type } });

export const JSON_MEDIA: BodyMedia = {
  accepts: isJson,
  refusal: unsupported("Send JSON in UTF-8 as application/json", "application/json"),
};

export const FORM: BodyMedia = {
  accepts: isForm,
  refusal: unsupported(
    "Send a form in UTF-8 as application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded",
  ),
};

export const MULTIPART: BodyMedia = {
  accepts: isMultipart,
  refusal: unsupported("Send a form as multipart/form-data", "multipart/form-data"),
};

const ENCODED = new Refusal("MEDIA_TYPE_UNSUPPORTED", {
  detail: "Send the body without a content encoding",
  headers: { "accept-encoding": "identity" },
});
/** Checks the head before any byte of the body is read. */
export function refusalOfBody(
  {
    bodyLength,
    contentType,
    contentEncoding,
  }: Pick<Exchange, "bodyLength" | "contentType" | "contentEncoding">,
  limit: number,
  { readsBody, media }: BodyUse,
): Refusal | null {
  if (bodyLength === 0) return null;
  if (bodyLength > limit) return tooLarge(limit);
  if (!readsBody) return null;
  if (contentEncoding !== "" && contentEncoding.toLowerCase() !== "identity") return ENCODED;
  return media === undefined || media.accepts(contentType) ? null : media.refusal;
}
