// What a file is, by the end of its name.

import { lookup } from "mrmime";

import { BYTES_TYPE } from "../answer-heads.js";

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
  const known = extension === "" ? undefined : lookup(extension);
  if (known === undefined) return BYTES_TYPE;
  return charset !== undefined && TEXT.test(known) ? `${known}; charset=${charset}` : known;
}

/** Whether a path ends as the names of files do: "/logo.png", and not "/jane.doe". */
export const looksLikeFile = (path: string): boolean => {
  const extension = extensionOf(path);
  return extension !== "" && lookup(extension) !== undefined;
};

/** In lower case; "" for none. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}
