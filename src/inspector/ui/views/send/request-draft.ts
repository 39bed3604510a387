// A request as it is typed: filled in from a run, without its secrets in storage, as a command.

import type { Route } from "../../../api/circuits.js";
import type { Payload, Trace } from "../../../api/traces.js";
import { prettyJson } from "../../json/json-tokens.js";
import { FORM, formText } from "./form-text.js";
import { headersOf, pathFor, readsAsJson } from "./request-text.js";

/** A part that was masked or not captured: empty, and to be filled in. */
export interface Hole {
  readonly in: "path" | "query" | "header" | "body";
  /** Index of a segment, a name, or a JSON pointer. */
  readonly at: string;
}

export interface Draft {
  readonly path: string;
  readonly headers: string;
  readonly body: string;
  readonly holes: readonly Hole[];
}

export type DraftRoute = Pick<Route, "path" | "body_type" | "input_schema" | "parameters_schema">;

const MASKED = "[redacted]";
/** Headers of a connection or a proxy, which are not relayed. */
const UNSENT =
  /^(?:host|connection|content-(?:length|type)|te|via|expect|upgrade|forwarded|x-forwarded-.*|x-real-ip)$/;

type Members = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Members => typeof value === "object" && value !== null;
const valuesOf = (payload: Payload): Members =>
  payload.kind === "full" && isRecord(payload.value) ? payload.value : {};
const lineOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? MASKED : JSON.stringify(value);

export const emptyDraft = ({ path }: DraftRoute): Draft => ({
  ...{ path: pathFor(path), headers: "", body: "", holes: [] },
});

/** The request of a run, with holes for what it does not show. */
export function draftOf({ run, exchange }: Trace, route: DraftRoute): Draft {
  const path = run.request?.path ?? route.path;
  if (exchange === undefined) return { ...emptyDraft(route), path };
  const { query, headers, body } = exchange;
  const fields = new URLSearchParams();
  for (const name of query.names)
    for (const value of [valuesOf(query.values)[name]].flat()) fields.append(name, lineOf(value));
  const lines = headers.names
    .filter((name) => !UNSENT.test(name))
    .map((name) => `${name}: ${lineOf(valuesOf(headers.values)[name])}`);
  if (body.content_type !== "") lines.push(`content-type: ${body.content_type}`);
  const draft = {
    path: fields.size === 0 ? path : `${path}?${fields}`,
    headers: lines.join("\n"),
    body: body.state === "none" ? "" : bodyText(body.value, route),
    holes: [],
  };
  const made = emptied(draft, route, (value) => value === MASKED);
  const isForm = route.body_type === FORM && readsAsJson(made.body);
  return isForm ? { ...made, body: formText(JSON.parse(made.body)) } : made;
}

/** A value that JSON does not have is a text in brackets, "[9 bytes]". */
function bodyText(payload: Payload, { body_type }: DraftRoute): string {
  if (payload.kind !== "full") return MASKED;
  const { value } = payload;
  if (typeof value === "string" && /^\[.*\]$/.test(value)) return MASKED;
  if (typeof value === "string" && body_type !== "application/json") return value;
  return prettyJson(value);
}

/** True for a value that is left out. */
type Hides = (value: unknown, name: string, schema: unknown) => boolean;

/** Makes holes of what `hides` names, and empties those that are filled. */
export function emptied(draft: Draft, route: DraftRoute, hides: Hides): Draft {
  const holes = new Map(draft.holes.map((hole) => [`${hole.in} ${hole.at}`, hole]));
  const kept = <T>(place: Hole["in"], at: string, value: T, name = at, schema?: unknown): T | "" => {
    const key = `${place} ${at}`;
    if (value === "" || !(holes.has(key) || hides(value, name, schema))) return value;
    holes.set(key, { in: place, at });
    return "";
  };
  const inner = (value: unknown, at: string, name: string, schema: unknown): unknown => {
    const shown = kept("body", at, value, name, schema);
    if (!isRecord(shown)) return shown;
    const members = Object.entries(shown).map(([key, member]) => {
      const part = Array.isArray(shown) ? partOf(schema, "items") : partOf(partOf(schema, "properties"), key);
      return [key, inner(member, `${at}/${escaped(key)}`, Array.isArray(shown) ? name : key, part)] as const;
    });
    return Array.isArray(shown) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  const bodyOf = (body: string): string => {
    const whole = kept("body", "", body, "", route.input_schema);
    if (whole === "" || !readsAsJson(whole)) return whole;
    const value = inner(JSON.parse(whole), "", "", route.input_schema);
    return holes.size === 0 ? whole : prettyJson(value);
  };
  const [pathname = "", text] = draft.path.split("?", 2);
  const parameters = route.path.split("/").map((part) => /^[:*](.*)/.exec(part)?.[1] ?? "");
  const segments = pathname
    .split("/")
    .map((segment, at) => kept("path", String(at), segment, parameters[at] ?? ""));
  const query = new URLSearchParams(text);
  const fields = [...query].map(([name, value]) => [
    name,
    kept("query", name, value, name, partOf(partOf(route.parameters_schema, "properties"), name)),
  ]);
  const headers = draft.headers.split("\n").map((line) => {
    const [, name = "", value = ""] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name === "" ? line : `${name}: ${kept("header", name.toLowerCase(), value)}`;
  });
  return {
    path: segments.join("/") + (text === undefined ? "" : `?${new URLSearchParams(fields)}`),
    headers: headers.join("\n"),
    body: bodyOf(draft.body),
    holes: [...holes.values()],
  };
}

const partOf = (schema: unknown, name: string): unknown =>
  isRecord(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
const unescaped = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

/** Holes that are still empty. */
export function missingIn({ path, headers, body, holes }: Draft): readonly Hole[] {
  const [pathname = "", query = ""] = path.split("?", 2);
  const read = headersOf(headers);
  const given: Members = read.kind === "right" ? read.headers : {};
  return holes.filter(({ in: place, at }) => {
    if (place === "path") return pathname.split("/")[Number(at)] === "";
    if (place === "query") return !new URLSearchParams(query).get(at);
    if (place === "header") return !given[at];
    return at === "" ? body.trim() === "" : valueAt(body, at) === "";
  });
}

/** Undefined in a body that is no JSON: that was written by hand. */
function valueAt(body: string, pointer: string): unknown {
  const steps = pointer.split("/").slice(1).map(unescaped);
  try {
    return steps.reduce<unknown>((at, step) => partOf(at, step), JSON.parse(body));
  } catch {
    return new URLSearchParams(body.replaceAll("\n", "")).get(steps.join(".")) ?? undefined;
  }
}

/** A command for a shell: credentials are variables, every other text is quoted. */
export function curlOf(
  method: string,
  { path, headers, body }: Pick<Draft, "path" | "headers" | "body">,
): string {
  const read = headersOf(headers);
  const lines = Object.entries(read.kind === "right" ? read.headers : {}).map(([name, value]) => {
    const scheme = /^[A-Za-z]+(?= )/.exec(value)?.[0] ?? "Bearer";
    if (name === "authorization") return `-H "authorization: ${scheme} $TOKEN"`;
    return name === "cookie" ? `-H "cookie: $COOKIE"` : `-H ${quoted(`${name}: ${value}`)}`;
  });
  const data = body.trim() === "" ? [] : [`--data-raw ${quoted(body)}`];
  return [`curl -X ${method} "$URL"${quoted(path)}`, ...lines, ...data].join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
