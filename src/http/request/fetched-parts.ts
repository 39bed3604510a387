// What a request's route has fetched, and its response, for recorders of its run.

import type { RequestParts, ResponseParts } from "#core/timeline/recorder.js";
import type { ClientReader } from "../client/client.js";
import type { Exchange } from "../exchange/exchange.js";
import { isJson } from "../input/body-media.js";
import type { Reader } from "../input/extraction.js";
import { parseQuery } from "../input/form-fields.js";
import { CHUNKED } from "../native/framing.js";
import { Refusal } from "../refusal/refusal.js";
import { Observation } from "./observation.js";

export interface FetchedParts {
  readonly clients: ClientReader;
  readonly reader: Reader;
  readonly readsHead: boolean;
  /** Names of the headers in `Particulars.headers`. */
  readonly headers: readonly string[];
}

/** A longer response is not parsed. */
const MAX_PARSED = 262_144;

/** Refusals of a body that did not parse. */
const MALFORMED: ReadonlySet<unknown> = new Set([
  "JSON_INVALID",
  "FORM_INVALID",
  "TEXT_INVALID",
  "BODY_MISSING",
]);

/** Notes each input for the recorders of its run. Only for a route that has a recorder. */
export const notingReader = (reader: Reader): Reader => ({
  ...reader,
  read: (request, body) => {
    const input = reader.read(request, body);
    (request as Exchange).observation?.read(input, body.length);
    return input;
  },
});

export function requestPartsOf(exchange: Exchange, fetched: FetchedParts): RequestParts {
  const query = parseQuery(exchange.query);
  return {
    query: query instanceof Refusal ? {} : query,
    ...headersOf(exchange, fetched),
    clientAddress: addressOf(exchange, fetched.clients),
    body: bodyOf(exchange, fetched.reader),
  };
}

function headersOf(
  { particulars: { headers, fields, head } }: Exchange,
  { headers: names, readsHead }: FetchedParts,
): Pick<RequestParts, "headers" | "unreadHeaders"> {
  const isRead = headers.length >= names.length;
  const found = Object.entries(readsHead ? head : fields).map(([name, lines]) => [
    name,
    [lines].flat().join(", "),
  ]);
  const declared = names.flatMap((name, at) => (headers[at] ? [[name, headers[at]]] : []));
  const unread = isRead
    ? "The route reads no other headers"
    : "The request was refused before its headers were read";
  return {
    headers: Object.fromEntries([...declared, ...found]),
    unreadHeaders: isRead && readsHead ? "" : unread,
  };
}

/** Read from the connection if no step has read it, which a closed one does not allow (X1). */
function addressOf(exchange: Exchange, clients: ClientReader): string | undefined {
  const { client } = exchange.particulars;
  if (client !== null) return client.ip;
  return exchange.isOpen ? clients.direct(exchange)?.ip : undefined;
}

function bodyOf({ bodyLength, contentType, observation }: Exchange, reader: Reader): RequestParts["body"] {
  const input = observation instanceof Observation ? observation.input : undefined;
  const length = input?.bytes ?? (bodyLength === CHUNKED ? -1 : bodyLength);
  const without = (state: RequestParts["body"]["state"], unread: string) => ({
    ...{ state, contentType, length, value: undefined, unread },
  });
  if (bodyLength === 0) return without("none", "");
  if (!reader.readsBody) return without("unread", "The route reads no body");
  if (reader.streams) return without("unread", "It is streamed to the first step");
  if (input === undefined) return without("unread", "The run ended before it was read");
  const { value } = input;
  if (!(value instanceof Refusal)) return { ...without("read", ""), value };
  const { parsed, problem } = value;
  if (parsed !== undefined) return { ...without("refused", ""), value: parsed };
  return MALFORMED.has(problem.code)
    ? without("malformed", problem.detail ?? problem.title)
    : without("unread", "The request was refused before it was parsed");
}

/** Undefined without a response. */
export function responsePartsOf({ observation }: Exchange): ResponseParts | undefined {
  const sent = observation instanceof Observation ? observation.response : undefined;
  if (sent === undefined) return undefined;
  const { head, body } = sent;
  const headers = Object.fromEntries(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
  const unread = unreadBody(body, headers["content-encoding"]);
  return {
    headers,
    body: unread === "" ? bodyValue(body as string, headers["content-type"]) : undefined,
    unread,
  };
}

function unreadBody(body: string | Uint8Array | null | undefined, coding: string | undefined): string {
  if (body === undefined) return "It was streamed";
  if (body === null || body.length === 0) return "It has no body";
  if (typeof body !== "string") return coding === undefined ? "It is bytes" : `It is compressed (${coding})`;
  return body.length > MAX_PARSED ? "It is too long to be parsed" : "";
}

function bodyValue(body: string, type = ""): unknown {
  try {
    return isJson(type) ? JSON.parse(body) : body;
  } catch {
    return body;
  }
}
