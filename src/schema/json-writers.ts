// How the compiled serialiser writes what is no object and no list: as a projection
// does (projection.ts, S2). fast-json-stringify's own writers would make a text of
// anything, an object's "[object Object]" or the joined items of a list, and quote the
// value in what they throw.

import { createRequire } from "node:module";

import { listed, scalar } from "./projection.js";

/** Those that fast-json-stringify's code calls. */
interface Writers {
  readonly asString: (text: string) => string;
  readonly asNumber: (value: unknown) => string;
  readonly asBoolean: (value: unknown) => string;
  readonly asUnsafeString: (value: unknown) => string;
  readonly asDateTime: (value: unknown) => string;
}

/** A string's format chooses its writer: two of them are our own, and no date or trusted text has them. */
export const AS_TEXT = "unsafe";
/** For what is a whole list of texts. */
export const AS_TEXTS = "date-time";

/** From so many texts on JSON.stringify is faster than one call for each. */
const MANY = 128;

const require = createRequire(import.meta.url);

export function checkedWriters(): Writers {
  const Serializer = require("fast-json-stringify/lib/serializer") as new () => Writers;
  const theirs = new Serializer();
  const { asString } = theirs;
  const asText = (value: unknown): string =>
    asString(typeof value === "string" ? value : (scalar("string", value) as string));
  const asTexts = (value: unknown): string => {
    const list = listed(value);
    if (list.length >= MANY && list.every((text) => typeof text === "string")) return JSON.stringify(list);
    let json = "";
    for (const text of list) json += json === "" ? asText(text) : `,${asText(text)}`;
    return `[${json}]`;
  };
  const own: Omit<Writers, "asString"> = {
    asUnsafeString: asText,
    asDateTime: asTexts,
    asNumber: (value) => (Number.isFinite(value) ? `${value}` : JSON.stringify(scalar("number", value))),
    asBoolean: (value) =>
      typeof value === "boolean" ? `${value}` : JSON.stringify(scalar("boolean", value)),
  };
  return Object.assign(theirs, own);
}
