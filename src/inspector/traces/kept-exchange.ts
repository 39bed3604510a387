// The request and the response of a kept run: names always, values as the capture allows.

import type { TracedRun } from "#core/timeline/recorder.js";
import { withoutCredentials } from "#core/wire/credential-text.js";
import { redactedPath } from "#schema/redaction/redacted-path.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import type { Exchanged, Known, Payload, Trace } from "../api/traces.js";
import type { DrawnNodes } from "./drawn-nodes.js";
import { type Captured, costOf, OFF, type PayloadCapture, payloadOf } from "./payload-capture.js";
import { pseudonymOf } from "./pseudonym.js";

interface KeptFields {
  readonly names: string[];
  readonly values: Captured | undefined;
}

type Kept<T extends keyof Exchanged> = Omit<Exchanged[T], "value" | "body" | "headers">;

export interface KeptExchange {
  readonly address: string | undefined;
  readonly identity: string | undefined;
  readonly query: KeptFields;
  readonly headers: KeptFields & { readonly unread: string };
  /** `value` of a refused one alone: a read one is the input of the first node. */
  readonly body: Kept<"body"> & { readonly value: Captured | undefined };
  readonly bodyName: string | undefined;
  response: Kept<"response"> & { readonly headers: KeptFields; readonly body: Captured | undefined };
  /** Of `bytes`. */
  readonly responseRoom: number;
  readonly bytes: number;
}

const MAX_NAMES = 100;
const MAX_NAME = 200;
/** For a response, which comes once the run is stored: for a problem, and as much as the last output takes. */
const RESPONSE_BYTES = 8192;
const BASE_BYTES = 400;

/** Their values are never shown. */
const NEVER: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie", "set-cookie"]);
/** Of the client, for operators. */
const ADDRESSES: ReadonlySet<string> = new Set(["forwarded", "x-forwarded-for", "x-real-ip"]);
const IDENTITIES: ReadonlySet<string> = new Set([
  ...["ClientIp", "ClientIdentity", "VerifiedIdentity", "IamIdentity", "Session", "RequestHeaders"],
  ...[...ADDRESSES].map((name) => `header:${name}`),
]);

export interface ExchangeOptions {
  readonly nodes: DrawnNodes;
  readonly capture: PayloadCapture;
}

/** Null for a run that answers no request. Call it in `ended`, with the last output. */
export function keptExchange(
  run: TracedRun,
  output: Captured | undefined,
  { nodes, capture }: ExchangeOptions,
): KeptExchange | null {
  const { request, requestParts: parts } = run;
  if (request === undefined || parts === undefined) return null;
  const masks = nodes.route(request);
  const { state, contentType, length, unread, value } = parts.body;
  const query = fieldsOf(parts.query, masks.query, capture);
  const headers = fieldsOf(parts.headers, nodes.redactorOfNames(), capture, masks.hiddenHeaders);
  const own = Object(
    state === "read" && masks.bodyName !== undefined ? memberOf(value, masks.bodyName) : value,
  );
  const keys = [...masks.keys].filter((name) => Object.hasOwn(own, name));
  const unfit = { ...masks.body, redact: masks.body.redactUnfit };
  const refused = state === "refused" ? capture.capture(unfit, value) : undefined;
  const responseRoom = capture.mode === "off" ? 0 : RESPONSE_BYTES + costOf(output);
  const names = [...query.names, ...headers.names, ...keys].join("  ");
  return {
    address: parts.clientAddress,
    identity: run.identity,
    query,
    headers: { ...headers, unread: parts.unreadHeaders },
    body: { state, content_type: nameOf(contentType), length, keys, unread, value: refused },
    bodyName: masks.bodyName,
    response: { ...{ headers: NONE, body: undefined }, length: 0, unread: "No response was sent" },
    responseRoom,
    bytes:
      BASE_BYTES +
      responseRoom +
      2 * names.length +
      [query.values, headers.values, refused].reduce((sum, each) => sum + costOf(each), 0),
  };
}

/** Call it in `answered`. */
export function keptResponse(
  run: TracedRun,
  status: number,
  { length, room }: { readonly length: number; readonly room: number },
  { nodes, capture }: ExchangeOptions,
): KeptExchange["response"] {
  const { request, responseParts: parts } = capture.mode === "off" ? { request: undefined } : run;
  if (request === undefined || parts === undefined)
    return { headers: NONE, body: undefined, length, unread: status === 0 ? "No response was sent" : "" };
  const redactor = nodes.route(request).response(status);
  const { headers, body, unread } = parts;
  const { path, route } = request;
  // A problem names the path of its request.
  const isNamed = memberOf(body, "instance") === path;
  const shown = isNamed ? { ...Object(body), instance: redactedPath(path, route) } : body;
  const fields = fieldsOf(headers, redactor, capture);
  const captured = unread === "" ? capture.capture(redactor, shown) : undefined;
  const isLong = costOf(fields.values) + costOf(captured) > room;
  return isLong
    ? { headers: NONE, body: undefined, length, unread: "It is larger than the Inspector stores" }
    : { headers: fields, body: captured, length, unread };
}

const NONE: KeptFields = { names: [], values: undefined };

const nameOf = (name: string): string => withoutCredentials(name.slice(0, MAX_NAME), name.length > MAX_NAME);

function fieldsOf(
  all: Readonly<Record<string, unknown>>,
  redactor: Redactor,
  capture: PayloadCapture,
  hidden: ReadonlySet<string> = NEVER,
): KeptFields {
  const names = Object.keys(all);
  if (names.length === 0) return NONE;
  const shown = Object.entries(all).filter(([name]) => !NEVER.has(name) && !hidden.has(name));
  return {
    names: names.slice(0, MAX_NAMES).map(nameOf),
    values: capture.capture(redactor, Object.fromEntries(shown)),
  };
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;

const known = (text: string | undefined, why: string): Known =>
  text === undefined ? { kind: "unread", why } : { kind: "read", text };

const shownFields = ({ values, ...fields }: KeptFields): Exchanged["query"] => ({
  ...fields,
  values: payloadOf(values),
});

/** The body that was read is the input of the nodes. */
export function exchangeOf(kept: KeptExchange, nodes: Trace["nodes"]): Exchanged {
  const { address, identity, headers, body, response } = kept;
  const client = identity ?? address;
  return {
    client: {
      address: known(address, "It is behind a proxy and no step reads it, or it had disconnected"),
      identity: known(identity, "No step verified one"),
      pseudonym: known(client && pseudonymOf(client), "Neither address nor identity is known"),
    },
    query: shownFields(kept.query),
    headers: { ...shownFields(headers), unread: headers.unread },
    body: { ...body, value: body.state === "read" ? inputOf(nodes, kept.bodyName) : payloadOf(body.value) },
    response: { ...response, headers: shownFields(response.headers), body: payloadOf(response.body) },
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
    ...(exchange && { exchange: forViewers(exchange, isError) }),
    bus: bus.map((access) =>
      IDENTITIES.has(access.key) && access.value.kind === "full" ? { ...access, value: WITHHELD } : access,
    ),
  };
}

function forViewers({ client, headers, response, ...parts }: Exchanged, isError: boolean): Exchanged {
  const withheld = (of: Known): Known => (of.kind === "read" ? { kind: "withheld" } : of);
  const { values } = headers;
  const value = values.kind === "full" ? { ...Object(values.value) } : {};
  for (const name of ADDRESSES) delete value[name];
  return {
    ...parts,
    client: { ...client, address: withheld(client.address), identity: withheld(client.identity) },
    headers: { ...headers, values: values.kind === "full" ? { ...values, value } : values },
    response: isError ? { ...response, body: OFF, unread: "It is for operators" } : response,
  };
}
