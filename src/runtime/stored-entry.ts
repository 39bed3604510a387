// What a store answers is from outside: other hands or another program may have been at it.
// Its entries are looked at before anything of them is believed. Values are looked at when
// they are decoded, for most are of no use any longer.

import type { RunEntry } from "#core/run-store.js";

type Is = (value: unknown) => boolean;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isThere: Is = (value) => value !== undefined;
const isText: Is = (value) => typeof value === "string";
const isTime: Is = (value) => Number.isFinite(value);
const isCount: Is = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const has =
  (fields: Readonly<Record<string, Is>>): Is =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, is]) => is(value[name]));
const perhaps =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);
const isList =
  (is: Is): Is =>
  (value) =>
    // Holes are none of its items for `every`.
    Array.isArray(value) && !value.includes(undefined) && value.every((item) => is(item));

const position = { node: isText, input: isThere, bus: isRecord, jumps: isCount };
const completed = isList(has({ node: isText, input: isThere, output: isThere, bus: perhaps(isRecord) }));

// Of a `trace` nothing is asked: whoever links to it looks at it, and a run is worth more than a link.
const kinds = new Map<unknown, Readonly<Record<string, Is>>>([
  ["begun", { at: isTime, axon: isText, version: isText, ...position }],
  ["checkpoint", { at: isTime, completed, ...position }],
  ["resumed", { at: isTime, version: isText, ...position }],
  ["failed", { at: isTime, error: isThere, completed, step: perhaps(has({ node: isText, input: isThere })) }],
  ["undone", { at: isTime, left: isCount }],
  ["ended", { at: isTime }],
]);

/** The entries, as they are. Throws where one is none. */
export function requireEntries(answer: unknown): readonly RunEntry[] {
  if (!Array.isArray(answer)) throw new TypeError("A store that answers no list of entries");
  for (const [i, entry] of answer.entries()) {
    const wrong = faultOf(entry);
    if (wrong !== undefined) throw new TypeError(`Entry ${i + 1} of the log ${wrong}`);
  }
  return answer;
}

function faultOf(entry: unknown): string | undefined {
  const fields = isRecord(entry) ? kinds.get(entry["kind"]) : undefined;
  if (!isRecord(entry) || fields === undefined) return "is of no kind that there is";
  const wrong = Object.entries(fields).find(([name, is]) => !is(entry[name]));
  return wrong && `is of kind '${entry["kind"]}', and its '${wrong[0]}' is missing or wrong`;
}
