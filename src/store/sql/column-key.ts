import { createHash } from "node:crypto";

const PREFIX = "sha256:";
/** In UTF-16 units. PostgreSQL's indexes take 2700 bytes. */
const MAX_LENGTH = 200;

/**
 * A text of an application as a key of a table: itself where both databases keep and index it, else
 * its SHA-256. PostgreSQL refuses NUL and long keys, and UTF-8 has no lone surrogates: two texts
 * would become one.
 */
export const columnKey = (text: string): string =>
  text.length <= MAX_LENGTH && !/[\0\p{Surrogate}]/u.test(text) && !text.startsWith(PREFIX)
    ? text
    : `${PREFIX}${createHash("sha256").update(JSON.stringify(text)).digest("hex")}`;
