// Entity tags (RFC 9110, section 8.8.3), as their text: "abc" in its quotes, or W/"abc".

// Clients may send tags of other servers, with bytes above ASCII.
const LISTED = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*")[ \t]*)?(?:,|$)/y;
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;

/** True if it is an entity tag that can be sent. */
export const isEntityTag = (text: string): boolean => ENTITY_TAG.test(text);

/** "*", or the tags of a list, which may have empty elements; undefined if invalid. */
export function parseEntityTags(text: string): "*" | readonly string[] | undefined {
  if (text === "*") return text;
  const tags: string[] = [];
  LISTED.lastIndex = 0;
  while (LISTED.lastIndex < text.length) {
    const found = LISTED.exec(text);
    if (found === null) return undefined;
    if (found[1] !== undefined) tags.push(found[1]);
  }
  return tags;
}

/** Strong comparison: for changes, and for parts of a body. */
export const matchesStrongly = (one: string, other: string): boolean => one === other && !isWeak(one);

/** Weak comparison: for caches. */
export const matchesWeakly = (one: string, other: string): boolean => opaqueOf(one) === opaqueOf(other);

const isWeak = (tag: string): boolean => tag.startsWith("W/");

const opaqueOf = (tag: string): string => (isWeak(tag) ? tag.slice(2) : tag);
