import { parseIp } from "#core/net/ip-address.js";
import { configInvalid, optionNames, requireKnown } from "../refusal/option-checks.js";

type Parameter = string | number | boolean;

/** A name with an array is repeated; a name with undefined is omitted. */
export type TestParameters = Readonly<Record<string, Parameter | readonly Parameter[] | undefined>>;

/** Pieces of a body. Pieces of an async iterable are sent when it yields them. */
export type TestPieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A request of a test, with at most one of `json`, `form`, `multipart` and `body`. */
export interface TestRequest {
  /** A name with an array is sent as several lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Cookies, percent-encoded as steps read them with `cookie`. */
  readonly cookies?: Readonly<Record<string, string>>;
  /** Parameters, percent-encoded and added to the target. */
  readonly query?: TestParameters;
  /** Body, sent as application/json. */
  readonly json?: unknown;
  /** Body, sent as application/x-www-form-urlencoded. */
  readonly form?: TestParameters;
  /** Body, sent as multipart/form-data. A `File` keeps its name and type. */
  readonly multipart?: FormData | Readonly<Record<string, string | Blob | readonly (string | Blob)[]>>;
  /** Raw body. Pieces are sent in separate turns, chunked unless `headers` has a content-length. */
  readonly body?: string | Uint8Array | TestPieces;
  /** The address of the connection. Default 127.0.0.1; "" for a socket file. */
  readonly peer?: string;
  /** Disconnects the client when it fires. The call then rejects with its reason. */
  readonly signal?: AbortSignal;
}

const NAMES = optionNames<TestRequest>()("headers cookies query json form multipart body peer signal");

export interface SentRequest {
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | TestPieces;
}

/** Builds the request. `stored` holds `name=value` pairs of a jar. Throws CONFIG_INVALID for a request that no client can send. */
export function sentRequest(
  target: string,
  request: TestRequest,
  stored: readonly string[],
): SentRequest | Promise<SentRequest> {
  requireKnown(`The TestApp's request to ${target}`, request, NAMES);
  const given = ["json", "form", "multipart", "body"].filter((name) => request[name as "json"] !== undefined);
  if (given.length > 1) throw configInvalid(`A request has ${given.join(" and ")}: give one of them`);
  if (!target.startsWith("/")) throw configInvalid(`The target '${target}' does not begin with "/"`);
  const content = contentOf(request);
  const withContent = ({ type, body }: Content): SentRequest => ({
    target: withQuery(target, request.query),
    headers: headerLines(request, type, body, stored),
    body,
  });
  return content instanceof Promise ? content.then(withContent) : withContent(content);
}

interface Content {
  readonly type: string | undefined;
  readonly body: Uint8Array | TestPieces;
}

function contentOf({ json, form, multipart, body = "" }: TestRequest): Content | Promise<Content> {
  if (json !== undefined) return { type: "application/json", body: Buffer.from(JSON.stringify(json)) };
  if (form !== undefined) {
    return { type: "application/x-www-form-urlencoded", body: Buffer.from(parameters(form).toString()) };
  }
  if (multipart !== undefined) return encodedParts(multipart);
  return { type: undefined, body: typeof body === "string" ? Buffer.from(body) : body };
}

async function encodedParts(multipart: NonNullable<TestRequest["multipart"]>): Promise<Content> {
  const encoded = new Response(multipart instanceof FormData ? multipart : formData(multipart));
  const type = encoded.headers.get("content-type") ?? "";
  return { type, body: new Uint8Array(await encoded.arrayBuffer()) };
}

function formData(fields: Exclude<NonNullable<TestRequest["multipart"]>, FormData>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const each of [value].flat() as readonly (string | Blob)[]) {
      if (typeof each === "string") data.append(name, each);
      else data.append(name, each);
    }
  }
  return data;
}

function parameters(given: TestParameters): URLSearchParams {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    for (const each of [value].flat()) if (each !== undefined) encoded.append(name, String(each));
  }
  return encoded;
}

function withQuery(target: string, query: TestParameters = {}): string {
  const encoded = parameters(query).toString();
  if (encoded === "") return target;
  return `${target}${target.includes("?") ? "&" : "?"}${encoded}`;
}

function headerLines(
  { headers = {}, cookies = {} }: TestRequest,
  type: string | undefined,
  body: Uint8Array | TestPieces,
  stored: readonly string[],
): SentRequest["headers"] {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => [name.toLowerCase(), requireLine(name, each as string)] as const),
  );
  const names = new Set(given.map(([name]) => name));
  const set = Object.entries(cookies).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const kept = stored.filter((pair) => !Object.hasOwn(cookies, pair.slice(0, pair.indexOf("="))));
  const defaults: readonly (readonly [string, string | undefined])[] = [
    ["host", "test.local"],
    ["content-type", type],
    ["cookie", [...kept, ...set].join("; ") || undefined],
    ...(names.has("transfer-encoding") ? [] : [framing(body)]),
  ];
  const missing = defaults.filter(
    (line): line is readonly [string, string] => line[1] !== undefined && !names.has(line[0]),
  );
  // A content-length of the test is the length of all pieces.
  const framed = missing.filter(([name]) => name !== "transfer-encoding" || !names.has("content-length"));
  return [...framed, ...given];
}

function framing(body: Uint8Array | TestPieces): readonly [string, string | undefined] {
  if (!(body instanceof Uint8Array)) return ["transfer-encoding", "chunked"];
  return ["content-length", body.length === 0 ? undefined : String(body.length)];
}

function requireLine(name: string, value: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || /[\0\r\n]/.test(value))
    throw configInvalid(`Header ${JSON.stringify(name)}: no client can send that name or value`);
  return value;
}

export function peerOf({ peer = "127.0.0.1" }: TestRequest): Uint8Array {
  const address = peer === "" ? new Uint8Array(0) : parseIp(peer);
  if (address === undefined) throw configInvalid(`peer is '${peer}': use an address, as 192.0.2.1`);
  return address;
}
