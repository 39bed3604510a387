// Evaluates conditional requests (RFC 9110, section 13.2.2).

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

/** `none`: there is no condition, or none that applies. */
export type Verdict = "none" | "met" | "failed" | "unmodified" | "malformed";

/** `isRead`: GET and HEAD, which get a 304. `current` is undefined if the resource does not exist. */
export function verdictOf(
  { ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince }: Conditions,
  current: Representation | undefined,
  isRead: boolean,
  now: number,
): Verdict {
  // The response is no 2xx, so conditions must not change it (RFC 9110, section 13.2.1). Not for
  // DELETE: routes send 204 for a missing resource too.
  if (isRead && current === undefined) return "none";
  let verdict: Verdict = "none";
  if (ifMatch !== undefined) {
    const matches = isListed(ifMatch, current, matchesStrongly);
    // The condition protects against lost updates: without the check the update could be lost.
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
    // A reader is not harmed by a response that it may have already.
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

/** Undefined if the field is malformed or the time of the change is unknown: the condition is then ignored. */
function isModified(field: string, current: Representation | undefined, now: number): boolean | undefined {
  const since = parseHttpDate(field, now);
  const lastModified = current?.lastModified;
  return since === undefined || lastModified === undefined ? undefined : lastModified > since;
}
