// Decodes values that durable-value.ts has encoded. Any form that `encode` never writes is refused:
// the store may have been changed by other programs.

import { ProblemDetail, type ProblemFields } from "#core/bus/problem-detail.js";
import { type ReplyFields, respond } from "#core/bus/reply.js";
import { type RuntimeFault, runtimeFault } from "#core/bus/runtime-fault.js";
import type { Json } from "#core/wire/json-text.js";

export function decode(json: Json): unknown {
  if (typeof json === "string" || typeof json === "boolean" || json === null) return json;
  if (typeof json === "number") return Number.isFinite(json) ? json : unreadable("number");
  if (typeof json !== "object") return unreadable(typeof json);
  if (isList(json)) return json.map(decode);
  if (!Object.hasOwn(json, "$"))
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, decode(value)]));
  const { $: tag } = json;
  const [what, of] = Array.isArray(tag) ? (tag as readonly Json[]) : [];
  switch (what) {
    case "undefined":
      return undefined;
    case "number":
      return NUMBERS.get(of) ?? unreadable(what);
    case "bigint":
      return typeof of === "string" && /^-?\d+$/.test(of) ? BigInt(of) : unreadable(what);
    case "date":
      return of === null || Number.isFinite(of) ? new Date((of ?? Number.NaN) as number) : unreadable(what);
    case "buffer":
      return bytesIn(of);
    case "bytes":
      return Uint8Array.from(bytesIn(of));
    case "map":
      return new Map(pairsIn(of));
    case "set":
      return new Set(listIn(of).map(decode));
    case "bare":
      return Object.assign(Object.create(null), Object.fromEntries(namedIn(of)));
    case "object":
      return Object.fromEntries(namedIn(of));
    case "problem":
      return new ProblemDetail(decode(of as Json) as ProblemFields);
    case "reply": {
      const { body, ...parts } = decode(of as Json) as ReplyFields<unknown>;
      return respond({ ...parts, ...(body !== undefined && { body }) });
    }
    case "fault": {
      const fields = decode(of as Json) as RuntimeFault | null;
      return typeof fields?.code === "string" ? runtimeFault(fields) : unreadable(what);
    }
    default:
      return unreadable(String(what));
  }
}

const NUMBERS = new Map<unknown, number>(
  [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((number) => [String(number), number]),
).set("-0", -0);

function unreadable(what: string): never {
  throw new TypeError(`A stored value of an unknown kind: '${what}'`);
}

const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);

const listIn = (json: Json | undefined): readonly Json[] => (isList(json) ? json : unreadable("list"));

const pairsIn = (json: Json | undefined): [unknown, unknown][] =>
  listIn(json).map((pair) => {
    const [key, value, ...more] = listIn(pair);
    if (key === undefined || value === undefined || more.length > 0) return unreadable("pair");
    return [decode(key), decode(value)];
  });

const namedIn = (json: Json | undefined): [string, unknown][] =>
  pairsIn(json).map(([name, value]) => [typeof name === "string" ? name : unreadable("name"), value]);

function bytesIn(json: Json | undefined): Buffer {
  const bytes = Buffer.from(typeof json === "string" ? json : unreadable("bytes"), "base64");
  return bytes.toString("base64") === json ? bytes : unreadable("bytes");
}
