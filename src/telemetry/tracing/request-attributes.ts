// What a server's span says of its request: the semantic conventions of HTTP, as far as
// they are stable. Never the query, a header but the user agent's, or a body.

import { redactedPath } from "#schema/redaction/redacted-path.js";

type Attributes = Record<string, string | number>;

const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "CONNECT",
  "TRACE",
]);

const MAX_USER_AGENT = 256;

export interface RequestHead {
  readonly method: string;
  readonly scheme: string;
  /** The Host header; "" where there is none. */
  readonly host: string;
  readonly userAgent: string;
}

export function headAttributes({ method, scheme, host, userAgent }: RequestHead): Attributes {
  const { address, port } = serverOf(host);
  return {
    "http.request.method": METHODS.has(method) ? method : "_OTHER",
    "url.scheme": scheme,
    ...(address !== "" && { "server.address": address }),
    ...(port !== undefined && { "server.port": port }),
    ...(userAgent !== "" && { "user_agent.original": userAgent.slice(0, MAX_USER_AGENT) }),
  };
}

export interface RequestEnd {
  /** As it came, without the query. */
  readonly path: string;
  /** The pattern; undefined where none served it. */
  readonly route: string | undefined;
  /** 0 where the client went away before there was an answer. */
  readonly status: number;
  /** Undefined where nobody has asked for it. */
  readonly clientAddress: string | undefined;
}

/** `fault`: the code of the fault that was answered, where it has one. */
export function endAttributes(end: RequestEnd, fault: string | undefined): Attributes {
  const { path, route, status, clientAddress } = end;
  return {
    "url.path": redactedPath(path, route),
    ...(route !== undefined && { "http.route": route }),
    ...(clientAddress !== undefined && { "client.address": clientAddress }),
    ...(status !== 0 && { "http.response.status_code": status }),
    ...(status === 0 && { "error.type": "RUN_ABORTED" }),
    ...(status >= 500 && { "error.type": fault ?? String(status) }),
  };
}

/** Of few different values: what a path holds is in none. */
export function spanName(method: string, route: string | undefined): string {
  const shown = METHODS.has(method) ? method : "HTTP";
  return route === undefined ? shown : `${shown} ${route}`;
}

// A name, an IPv4 address or one of IPv6 in brackets, and perhaps a port. The gate has checked it.
const HOST = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/;

function serverOf(host: string): { readonly address: string; readonly port: number | undefined } {
  const [, v6, name, port] = HOST.exec(host) ?? [];
  return { address: v6 ?? name ?? "", port: port === undefined ? undefined : Number(port) };
}
