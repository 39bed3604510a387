import { isInUtf8, parseContentType } from "#core/content-type.js";
import { Refusal } from "./refusal.js";

/** What a body must be by its content type, and how one is refused that is not. */
export interface BodyMedia {
  readonly accepts: (contentType: string) => boolean;
  readonly refusal: Refusal;
}

const JSON_TYPE = /^application\/(?:[^/]+\+)?json$/;

/** Whether a body of this type is read as JSON in UTF-8. */
export function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const parsed = parseContentType(contentType);
  return parsed !== undefined && JSON_TYPE.test(parsed.type) && isInUtf8(parsed);
}

/** Whether a body of this type is read as a form in UTF-8. */
export function isForm(contentType: string): boolean {
  const parsed = parseContentType(contentType);
  return parsed?.type === "application/x-www-form-urlencoded" && isInUtf8(parsed);
}

/** Whether a body of this type has parts. Whether it says how they are divided is for its reader. */
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
