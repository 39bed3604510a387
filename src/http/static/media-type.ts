// What a file is, by the end of its name.

import { lookup } from "mrmime";

import { BYTES_TYPE } from "../answer-heads.js";

/** What mrmime does not have: it knows what is registered without a vendor. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["7z", "application/x-7z-compressed"],
  ["cjs", "text/javascript"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["eot", "application/vnd.ms-fontobject"],
  ["flac", "audio/flac"],
  ["ico", "image/vnd.microsoft.icon"],
  ["m3u8", "application/vnd.apple.mpegurl"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["tar", "application/x-tar"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
]);

// Of text/xml it would be written over what the document says of itself (RFC 7303, section 3.2).
const TEXT = /^text\/(?!xml$)/;

/**
 * The content type of a file by its path. `own` are types by their extensions in lower case,
 * as they are written. `charset` goes behind the types of texts; none where it is undefined.
 */
export function mediaTypeOf(
  path: string,
  own: ReadonlyMap<string, string>,
  charset: string | undefined,
): string {
  const extension = extensionOf(path);
  const given = own.get(extension);
  if (given !== undefined) return given;
  const known = knownType(extension);
  if (known === undefined) return BYTES_TYPE;
  return charset !== undefined && TEXT.test(known) ? `${known}; charset=${charset}` : known;
}

/** Whether a path ends as the names of files do: "/logo.png", and not "/jane.doe". */
export const looksLikeFile = (path: string): boolean => knownType(extensionOf(path)) !== undefined;

const knownType = (extension: string): string | undefined =>
  extension === "" ? undefined : (OTHERS.get(extension) ?? lookup(extension));

/** In lower case; "" for none. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}
