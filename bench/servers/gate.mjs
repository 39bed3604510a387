// The checks that ours makes of every request before it is routed, written out by
// hand with the same tricks: what is left of the native server's speed for anyone
// who makes them. Chunked bodies are refused, to keep it short.

import { native } from "./native.mjs";

/** ASCII as the engine takes it fastest. */
export const nativeText = (text) => new Uint8Array(Buffer.from(text)).buffer;

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const DIGITS = /^\d{1,15}$/;
const HOST_SYNTAX = /^[A-Za-z0-9.-]+(?::\d{0,5})?$/;
const QUERY_SYNTAX = /^[!"$-~]*$/;
const MAX_TARGET_LENGTH = 8192;

let lastHost = " ";

/** An app whose every request passes the gate, and then goes to the route of its method and path. */
export function gated({ get = {}, post = {} }) {
  const routes = { GET: new Map(Object.entries(get)), POST: new Map(Object.entries(post)) };
  return native.App().any("/*", (response, request) => {
    const method = request.getCaseSensitiveMethod();
    const path = request.getUrl();
    const query = request.getQuery();
    head.read(request);
    const length = bodyLength();
    if (length === AMBIGUOUS) return refuse(response, "400 Bad Request");
    if (method !== "GET" && !METHODS.has(method)) return refuse(response, "501 Not Implemented");
    const { host, expectation } = head;
    if (expectation !== "" && expectation.toLowerCase() !== "100-continue")
      return refuse(response, "417 Expectation Failed");
    if (host !== lastHost) {
      if (!HOST_SYNTAX.test(host)) return refuse(response, "400 Bad Request");
      lastHost = host;
    }
    if (path.length + (query?.length ?? 0) >= MAX_TARGET_LENGTH) return refuse(response, "414 URI Too Long");
    if (query !== undefined && !QUERY_SYNTAX.test(query)) return refuse(response, "400 Bad Request");
    const answer = (method === "GET" ? routes.GET : routes[method])?.get(path);
    if (answer === undefined) return refuse(response, "404 Not Found");
    answer(response, request, length, head);
  });
}

const AMBIGUOUS = -1;

/** Taken in one walk over the headers, which alone shows what stands there twice. */
const head = {
  lengths: 0,
  codings: 0,
  length: "",
  host: "",
  expectation: "",
  contentType: "",
  contentEncoding: "",
  read(request) {
    this.lengths = 0;
    this.codings = 0;
    this.length = "";
    this.host = "";
    this.expectation = "";
    this.contentType = "";
    this.contentEncoding = "";
    request.forEach(take);
  },
};

const take = (name, value) => {
  if (name === "host") head.host = value;
  else if (name === "content-length") {
    head.lengths += 1;
    head.length = value;
  } else if (name === "content-type") head.contentType = value;
  else if (name === "transfer-encoding") head.codings += 1;
  else if (name === "expect") head.expectation = value;
  else if (name === "content-encoding") head.contentEncoding = value;
};

/** Nobody in front of this server may read another length from the same bytes. */
function bodyLength() {
  const { lengths, codings, length } = head;
  if (lengths === 0 && codings === 0) return 0;
  return lengths === 1 && codings === 0 && DIGITS.test(length) ? Number(length) : AMBIGUOUS;
}

export function refuse(response, status) {
  response.writeStatus(status).end("", true);
}
