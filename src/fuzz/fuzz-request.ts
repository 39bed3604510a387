// A generated request as plain data: it is sent, reduced, and written to a test file.

import { literalText } from "#http/routing/pattern.js";
import type { TestRequest } from "#http/testing/test-request.js";
import type { TestHandshake } from "#http/testing/test-socket.js";
import type { FuzzIdentity } from "./fuzz-identity.js";

type Texts = Readonly<Record<string, string | readonly string[]>>;

export interface FuzzPart {
  readonly name: string;
  readonly text: string;
  /** Sent as a file of this name. */
  readonly filename?: string;
  /** The media type of the file. */
  readonly type?: string;
}

/** At most one of `json`, `form`, `multipart`, `text` and `base64` is present. */
export interface FuzzRequest {
  /** Of the mounted route: "POST /orders/:id". */
  readonly route: string;
  /** An identity of the application; absent for none. */
  readonly as?: string;
  /** The address of the connection: limits count by it. */
  readonly peer?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Texts;
  /** Sent unchanged, after `query`. */
  readonly rawQuery?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Texts;
  readonly multipart?: readonly FuzzPart[];
  readonly text?: string;
  readonly base64?: string;
  /** Sent over the connection of a WebSocket route: data as JSON, text unchanged. */
  readonly messages?: readonly unknown[];
}

/** The members that a reduction changes, in its order. */
export const REDUCIBLE = [
  "json",
  "form",
  "multipart",
  "text",
  "messages",
  "params",
  "query",
  "cookies",
  "headers",
] as const satisfies readonly (keyof FuzzRequest)[];

const EMPTY_IS_ABSENT: ReadonlySet<string> = new Set(["params", "query", "headers", "cookies", "messages"]);

export const withoutEmpty = (request: FuzzRequest): FuzzRequest =>
  Object.fromEntries(
    Object.entries(request).filter(
      ([name, value]) => !EMPTY_IS_ABSENT.has(name) || Object.keys(value as object).length > 0,
    ),
  ) as unknown as FuzzRequest;

export function targetOf({ route, params = {}, rawQuery }: FuzzRequest): string {
  const path = route.slice(route.indexOf(" ") + 1);
  const segments = path.split("/").map((segment) => {
    const name = segment.slice(1);
    if (segment.startsWith("*")) return (params[name] ?? "").split("/").map(encoded).join("/");
    return segment.startsWith(":") ? encoded(params[name] ?? "") : encodeURIComponent(literalText(segment));
  });
  return `${segments.join("/")}${rawQuery === undefined ? "" : `?${rawQuery}`}`;
}

/** An empty segment would match another route. */
const encoded = (text: string): string => encodeURIComponent(wellFormed(text)) || "-";

export function sentAs(request: FuzzRequest, identity: FuzzIdentity): TestRequest {
  const { json, form, multipart, text, base64 } = request;
  return {
    ...headOf(request, identity),
    ...(json !== undefined && { json }),
    ...(form !== undefined && { form }),
    ...(multipart !== undefined && { multipart: formData(multipart) }),
    ...(text !== undefined && { body: text }),
    ...(base64 !== undefined && { body: Buffer.from(base64, "base64") }),
  };
}

/** The credentials of the identity replace generated ones. */
export function headOf(
  { peer, query, headers, cookies }: FuzzRequest,
  identity: FuzzIdentity,
): Pick<TestHandshake, "peer" | "query" | "headers" | "cookies"> {
  const drawn = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), sendable(value)]);
  const given = Object.entries(cookies ?? {}).map(([name, value]) => [name, wellFormed(value)]);
  const own = Object.entries(identity.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...(peer !== undefined && { peer }),
    ...(query !== undefined && { query }),
    headers: Object.fromEntries([...drawn, ...own]),
    cookies: { ...Object.fromEntries(given), ...identity.cookies },
  };
}

/** Text as a client's bytes, without line ends, which no client can send. */
const sendable = (value: string): string => Buffer.from(value.replace(/[\0\r\n]/g, " ")).toString("latin1");

/** Without lone surrogates, which have no UTF-8. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

function formData(parts: readonly FuzzPart[]): FormData {
  const data = new FormData();
  for (const { name, text, filename, type = "" } of parts) {
    if (filename === undefined) data.append(name, text);
    else data.append(name, new File([text], filename, { type }));
  }
  return data;
}
