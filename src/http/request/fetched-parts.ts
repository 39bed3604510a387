// What a request's route has fetched, for recorders of its run.

import type { RequestParts } from "#core/timeline/recorder.js";
import type { ClientReader } from "../client/client.js";
import type { Exchange } from "../exchange/exchange.js";
import type { Reader } from "../input/extraction.js";
import { CHUNKED } from "../native/framing.js";
import { Observation } from "./observation.js";

export interface FetchedParts {
  readonly clients: ClientReader;
  readonly readsBody: boolean;
  readonly readsHead: boolean;
  /** Names of the headers in `Particulars.headers`. */
  readonly headers: readonly string[];
}

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
  const { query, contentType, bodyLength, observation } = exchange;
  return {
    query,
    contentType,
    bodyLength: bodyLength === CHUNKED ? -1 : bodyLength,
    readsBody: fetched.readsBody,
    headers: headersOf(exchange, fetched),
    hasAllHeaders: fetched.readsHead,
    clientAddress: addressOf(exchange, fetched.clients),
    input: observation instanceof Observation ? observation.input : undefined,
  };
}

function headersOf(
  { particulars: { headers, fields, head } }: Exchange,
  { headers: names, readsHead }: FetchedParts,
): RequestParts["headers"] {
  if (headers.length < names.length) return undefined;
  const found = new Map<string, string>();
  for (const [at, name] of names.entries()) if (headers[at]) found.set(name, headers[at]);
  for (const [name, lines] of Object.entries(readsHead ? head : fields))
    if (lines !== undefined) found.set(name, [lines].flat().join(", "));
  return [...found];
}

/** Read from the connection if no step has read it, which a closed one does not allow (X1). */
function addressOf(exchange: Exchange, clients: ClientReader): string | undefined {
  const { client } = exchange.particulars;
  if (client !== null) return client.ip;
  return exchange.isOpen ? clients.direct(exchange)?.ip : undefined;
}
