// Attributes of a server span, from OpenTelemetry's stable HTTP conventions. The query, the body,
// and all headers except the user agent are left out.

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
  /** The Host header, or "". */
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
  /** As received, without the query. */
  readonly path: string;
  /** The pattern; undefined if no route matched. */
  readonly route: string | undefined;
  /** 0 if the client disconnected before a response. */
  readonly status: number;
  /** Of the failure, as the log has it, or of the problem document that was sent. */
  readonly code: string | undefined;
  /** Undefined if it was not requested. */
  readonly clientAddress: string | undefined;
}

/** `fault`: code of the returned fault, if it has one. */
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

/** Of low cardinality: it contains no values of a path. */
export function spanName(method: string, route: string | undefined): string {
  const shown = METHODS.has(method) ? method : "HTTP";
  return route === undefined ? shown : `${shown} ${route}`;
}

// A name, an IPv4 address or a bracketed IPv6 address, with an optional port; already validated by
// the gate.
const HOST = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/;

function serverOf(host: string): { readonly address: string; readonly port: number | undefined } {
  const [, v6, name, port] = HOST.exec(host) ?? [];
  return { address: v6 ?? name ?? "", port: port === undefined ? undefined : Number(port) };
}
