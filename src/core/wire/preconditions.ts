// What a conditional request comes to (RFC 9110, section 13.2.2).

import { matchesStrongly, matchesWeakly, parseEntityTags } from "./entity-tag.js";
import { parseHttpDate } from "./http-date.js";

export interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
}

export interface Representation {
  readonly etag: string | undefined;
  /** Milliseconds since 1970, in whole seconds. */
  readonly lastModified: number | undefined;
}

/** `none`: there is no condition, or none that counts. */
export type Verdict = "none" | "met" | "failed" | "unmodified" | "malformed";

/** `isRead`: of GET and HEAD, which are answered 304. `current` is undefined where there is nothing. */
export function verdictOf(
  { ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince }: Conditions,
  current: Representation | undefined,
  isRead: boolean,
  now: number,
): Verdict {
  // Its answer is no 2xx, which conditions must not change (RFC 9110, section 13.2.1). Not so of a
  // DELETE: routes answer 204 too for what is gone.
  if (isRead && current === undefined) return "none";
  let verdict: Verdict = "none";
  if (ifMatch !== undefined) {
    const matches = isListed(ifMatch, current, matchesStrongly);
    // It was to keep a change from being lost: nobody is helped by going on without it.
    if (matches === undefined) return "malformed";
    if (!matches) return "failed";
    verdict = "met";
  } else if (ifUnmodifiedSince !== undefined) {
    const isChanged = isModified(ifUnmodifiedSince, current, now);
    if (isChanged === true) return "failed";
    if (isChanged === false) verdict = "met";
  }
  if (ifNoneMatch !== undefined) {
    const matches = isListed(ifNoneMatch, current, matchesWeakly);
    if (matches === true) return isRead ? "unmodified" : "failed";
    // Who reads is not harmed by an answer that it may have already.
    return matches === undefined && !isRead ? "malformed" : "met";
  }
  if (!isRead || ifModifiedSince === undefined) return verdict;
  const isChanged = isModified(ifModifiedSince, current, now);
  if (isChanged === undefined) return verdict;
  return isChanged ? "met" : "unmodified";
}

function isListed(
  field: string,
  current: Representation | undefined,
  matches: (listed: string, etag: string) => boolean,
): boolean | undefined {
  const tags = parseEntityTags(field);
  if (tags === undefined) return undefined;
  if (tags === "*") return current !== undefined;
  const etag = current?.etag;
  return etag !== undefined && tags.some((tag) => matches(tag, etag));
}

/** Undefined where the field is malformed, or nobody knows when it was changed: it does not count then. */
function isModified(field: string, current: Representation | undefined, now: number): boolean | undefined {
  const since = parseHttpDate(field, now);
  const lastModified = current?.lastModified;
  return since === undefined || lastModified === undefined ? undefined : lastModified > since;
}
