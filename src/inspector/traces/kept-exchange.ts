// The request and the response of a kept run: names always, values as the capture allows.

import { isFault } from "#core/bus/outcome.js";
import type { RequestParts, ResponseParts, TracedRequest, TracedRun } from "#core/timeline/recorder.js";
import { withoutCredentials } from "#core/wire/credential-text.js";
import { parseQuery } from "#http/input/form-fields.js";
import { Refusal } from "#http/refusal/refusal.js";
import { redactedPath } from "#schema/redaction/redacted-path.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import type { Exchanged, Known, Payload, Trace } from "../api/traces.js";
import type { DrawnNodes } from "./drawn-nodes.js";
import { type Captured, costOf, OFF, type PayloadCapture, payloadOf } from "./payload-capture.js";
import { pseudonymOf } from "./pseudonym.js";
import type { RouteParts } from "./route-parts.js";

interface KeptFields {
  readonly names: readonly string[];
  readonly values: Captured | undefined;
}

interface KeptResponse {
  readonly headers: KeptFields;
  readonly body: Captured | undefined;
  readonly unread: string;
}

export interface KeptExchange {
  readonly address: string | undefined;
  readonly identity: string | undefined;
  readonly query: KeptFields;
  readonly headers: KeptFields & { readonly unread: string };
  /** `value` of a refused one alone: a read one is the input of the first node. */
  readonly body: Omit<Exchanged["body"], "value"> & { readonly value: Captured | undefined };
  readonly bodyName: string | undefined;
  response: KeptResponse | null;
  responseBytes: number;
}

const MAX_NAMES = 100;
const MAX_NAME = 200;
/** A longer response is not parsed. */
const MAX_PARSED = 262_144;
/** Of a response, which comes once the run is stored. */
const RESPONSE_BYTES = 16_384;
const BASE_BYTES = 400;

/** Their values are never shown. */
const NEVER: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie", "set-cookie"]);
/** Of the client, for operators. */
const ADDRESSES: ReadonlySet<string> = new Set(["forwarded", "x-forwarded-for", "x-real-ip"]);
const IDENTITIES: ReadonlySet<string> = new Set([
  ...["ClientIp", "ClientIdentity", "VerifiedIdentity", "IamIdentity", "Session", "RequestHeaders"],
  ...[...ADDRESSES].map((name) => `header:${name}`),
]);

const MALFORMED: ReadonlySet<string> = new Set([
  "JSON_INVALID",
  "FORM_INVALID",
  "TEXT_INVALID",
  "BODY_MISSING",
]);

export interface ExchangeOptions {
  readonly nodes: DrawnNodes;
  readonly capture: PayloadCapture;
}

/** Null for a run that answers no request. Call it in `ended`. */
export function keptExchange(
  run: TracedRun,
  outcome: unknown,
  options: ExchangeOptions,
): KeptExchange | null {
  const { request, requestParts: parts } = run;
  if (request === undefined || parts === undefined) return null;
  const route = options.nodes.route(request);
  const query = parts.query === undefined ? {} : parseQuery(parts.query);
  return {
    address: parts.clientAddress,
    identity: run.identity,
    query: fieldsOf(query instanceof Refusal ? {} : query, route.query, options),
    headers: {
      ...headersOf(parts.headers ?? [], options.nodes.redactorOfNames(), options, route.hiddenHeaders),
      unread: unreadHeaders(parts),
    },
    body: bodyOf(parts, outcome, route, options),
    bodyName: route.bodyName,
    response: null,
    responseBytes: 0,
  };
}

/** Estimated memory in bytes, with that of the response. */
export const exchangeBytes = (kept: KeptExchange | null): number =>
  kept === null
    ? 0
    : BASE_BYTES +
      2 * [...kept.query.names, ...kept.headers.names, ...kept.body.keys].join("  ").length +
      [kept.query.values, kept.headers.values, kept.body.value].reduce((sum, each) => sum + costOf(each), 0) +
      (kept.headers.values?.kind === "full" ? 2 * RESPONSE_BYTES : 0);

/** Call it in `answered`, with capture `full` or `hash`. */
export function keptResponse(run: TracedRun, status: number, options: ExchangeOptions): KeptResponse | null {
  const { request, responseParts: parts } = run;
  if (request === undefined || parts === undefined) return null;
  const redactor = options.nodes.route(request).response(status);
  const headers = headersOf(parts.headers, redactor, options);
  const { body } = parts;
  const unread = unreadBody(parts);
  if (unread !== "" || typeof body !== "string") return { headers, body: undefined, unread };
  return { headers, body: options.capture.capture(redactor, parsed(body, parts, request)), unread };
}

function unreadBody({ headers, body }: ResponseParts): string {
  if (body === undefined) return "It was streamed";
  if (body === null || body.length === 0) return "It has no body";
  const coding = headers.find(([name]) => name === "content-encoding")?.[1];
  if (typeof body !== "string") return coding === undefined ? "It is bytes" : `It is compressed (${coding})`;
  return body.length > MAX_PARSED ? "It is long: the output of the last step has its beginning" : "";
}

function parsed(body: string, { headers }: ResponseParts, { path, route }: TracedRequest): unknown {
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  if (!/[/+]json\b/.test(type)) return body;
  try {
    const value: unknown = JSON.parse(body);
    // A problem names the path of its request.
    return memberOf(value, "instance") === path
      ? { ...Object(value), instance: redactedPath(path, route) }
      : value;
  } catch {
    return body;
  }
}

const nameOf = (name: string): string => withoutCredentials(name.slice(0, MAX_NAME), name.length > MAX_NAME);

function fieldsOf(
  values: Readonly<Record<string, unknown>>,
  redactor: Redactor,
  { capture }: ExchangeOptions,
): KeptFields {
  const names = Object.keys(values);
  const isEmpty = names.length === 0;
  return {
    names: names.slice(0, MAX_NAMES).map(nameOf),
    values: isEmpty ? undefined : capture.capture(redactor, { ...values }),
  };
}

function headersOf(
  headers: readonly (readonly [string, string])[],
  redactor: Redactor,
  options: ExchangeOptions,
  hidden: ReadonlySet<string> = NEVER,
): KeptFields {
  const shown = headers.filter(([name]) => !NEVER.has(name) && !hidden.has(name));
  const { values } = fieldsOf(Object.fromEntries(shown), redactor, options);
  return { names: [...new Set(headers.map(([name]) => name))].slice(0, MAX_NAMES).map(nameOf), values };
}

function unreadHeaders({ headers, hasAllHeaders }: RequestParts): string {
  if (headers === undefined) return "The request was refused before its headers were read";
  return hasAllHeaders ? "" : "The route reads no other headers";
}

function bodyOf(
  { input, bodyLength, contentType, readsBody }: RequestParts,
  outcome: unknown,
  { body: redactor, bodyName, keys, isStreamed }: RouteParts,
  { capture }: ExchangeOptions,
): KeptExchange["body"] {
  const length = input?.bytes ?? bodyLength;
  const made = { content_type: nameOf(contentType), length, keys: [], value: undefined, unread: "" };
  if (length === 0 && bodyLength === 0) return { ...made, state: "none" };
  if (!readsBody) return { ...made, state: "unread", unread: "The route reads no body" };
  if (isStreamed) return { ...made, state: "unread", unread: "It is streamed to the first step" };
  const { error } = isFault(outcome) ? outcome : { error: undefined };
  if (input === undefined) return { ...made, state: "unread", unread: "The run ended before it was read" };
  const { problem } = error instanceof Refusal ? error : { problem: undefined };
  if (input.isRefused && input.value === undefined)
    return MALFORMED.has(problem?.code ?? "")
      ? { ...made, state: "malformed", unread: problem?.detail ?? problem?.title ?? "" }
      : { ...made, state: "unread", unread: "The request was refused before it was parsed" };
  const value = input.isRefused || bodyName === undefined ? input.value : memberOf(input.value, bodyName);
  const own = typeof value === "object" && value !== null ? value : {};
  const shown = [...keys].filter((name) => Object.hasOwn(own, name));
  if (!input.isRefused) return { ...made, state: "read", keys: shown };
  const unfit = { ...redactor, redact: redactor.redactUnfit };
  return { ...made, state: "refused", keys: shown, value: capture.capture(unfit, value) };
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;

const known = (text: string | undefined, why: string): Known =>
  text === undefined ? { kind: "unread", why } : { kind: "read", text };

const shownFields = ({ names, values }: KeptFields): Exchanged["query"] => ({
  names: [...names],
  values: payloadOf(values),
});

const NONE: KeptFields = { names: [], values: undefined };

/** `status` of the response. The body that was read is the input of the nodes. */
export function exchangeOf(kept: KeptExchange, status: number | null, nodes: Trace["nodes"]): Exchanged {
  const { address, identity, body, response } = kept;
  const client = identity ?? address;
  return {
    client: {
      address: known(address, "It is behind a proxy, and no step reads it, or the client had disconnected"),
      identity: known(identity, "No step verified one"),
      pseudonym: known(client && pseudonymOf(client), "Neither address nor identity is known"),
    },
    query: shownFields(kept.query),
    headers: { ...shownFields(kept.headers), unread: kept.headers.unread },
    body: { ...body, value: body.state === "read" ? inputOf(nodes, kept.bodyName) : payloadOf(body.value) },
    response: {
      headers: shownFields(response?.headers ?? NONE),
      body: payloadOf(response?.body),
      length: kept.responseBytes,
      unread: response?.unread ?? (status ? "" : "No response was sent"),
    },
  };
}

function inputOf(nodes: Trace["nodes"], name: string | undefined): Payload {
  const first = nodes.find(({ kind, outcome }) => kind === "Ingress" && outcome === "next");
  const input = first?.output ?? nodes.find(({ input }) => input.kind !== "off")?.input ?? OFF;
  if (input.kind !== "full" || name === undefined) return input;
  const value = memberOf(input.value, name);
  return value === undefined ? OFF : { ...input, value };
}

const WITHHELD: Payload = { kind: "full", value: "[for operators]", is_cut: false };

/** Without the client's address and identity, and the values that have them; a response of 5xx may quote an exception. */
export function withoutClient({ exchange, bus, ...trace }: Trace): Trace {
  const isError = (trace.run.request?.http_status ?? 0) >= 500;
  return {
    ...trace,
    ...(exchange && { exchange: withoutAddress(isError ? withoutAnswer(exchange) : exchange) }),
    bus: bus.map((access) =>
      IDENTITIES.has(access.key) && access.value.kind === "full" ? { ...access, value: WITHHELD } : access,
    ),
  };
}

const withoutAnswer = ({ response, ...exchange }: Exchanged): Exchanged => ({
  ...exchange,
  response: { ...response, body: OFF, unread: "It is for operators" },
});

function withoutAddress({ client, headers, ...exchange }: Exchanged): Exchanged {
  const withheld = { kind: "withheld" } as const;
  const { values } = headers;
  const shown = Object.entries((values.kind === "full" && (values.value as object)) || {});
  return {
    ...exchange,
    client: {
      address: client.address.kind === "read" ? withheld : client.address,
      identity: client.identity.kind === "read" ? withheld : client.identity,
      pseudonym: client.pseudonym,
    },
    headers:
      values.kind === "full"
        ? {
            ...headers,
            values: { ...values, value: Object.fromEntries(shown.filter(([name]) => !ADDRESSES.has(name))) },
          }
        : headers,
  };
}
