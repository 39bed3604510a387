// Headers that describe one connection or the framing of one message (RFC 9110, section 7.6.1). A
// program may pass on headers of another message; these would make undici fail or be wrong.

const HOP_BY_HOP: readonly string[] = [
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
];

/** Codings that `fetch` decodes. */
const DECODED: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br"]);

function dropHopByHop(headers: Headers): void {
  const listed = (headers.get("connection") ?? "").split(",").map((name) => name.trim());
  for (const name of [...listed, ...HOP_BY_HOP]) if (isName(name)) headers.delete(name);
}

/** `Headers.delete` throws for other texts. */
const isName = (text: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(text);

/** Prepares headers for a request: `fetch` sets the length of the body. */
export function dropUnsendable(headers: Headers): void {
  dropHopByHop(headers);
  headers.delete("content-length");
  headers.delete("expect");
}

/** The headers of a response, for a body that `fetch` has decoded. */
export function headersOfDecoded(response: Response): Headers {
  const headers = new Headers(response.headers);
  dropHopByHop(headers);
  const codings = (headers.get("content-encoding") ?? "").toLowerCase().split(",");
  if (response.body === null || !codings.every((coding) => DECODED.has(coding.trim()))) return headers;
  headers.delete("content-encoding");
  headers.delete("content-length");
  return headers;
}
