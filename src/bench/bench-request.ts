import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";

/** What `bench.route` sends. */
export interface BenchRequest {
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const ROUTE = /^([A-Z]+) (\/[!-~]*)$/;
const HEADER = /^[!#$%&'*+.^_`|~\w-]+$/;
const LINE = /^[\t -~\u0080-\u00ff]*$/;

/** Method and target of "POST /orders". Throws CONFIG_INVALID. */
export function routeOf(route: string): { readonly method: string; readonly target: string } {
  const [, method, target] = ROUTE.exec(route) ?? [];
  if (method !== undefined && target !== undefined) return { method, target };
  throw invalidOption(
    `bench.route('${route}')`,
    "give method and path as a client sends them: 'GET /products/tea'",
  );
}

/** Throws CONFIG_INVALID. */
export function requireRequest(route: string, request: BenchRequest): BenchRequest {
  const call = `bench.route('${route}')`;
  requireKnownOptions(call, request, ["body", "headers"]);
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!HEADER.test(name) || typeof value !== "string" || !LINE.test(value))
      throw invalidOption(call, `the header '${name}' is none that a client can send`);
    if (["content-length", "transfer-encoding", "connection"].includes(name.toLowerCase()))
      throw invalidOption(call, `the header '${name}' is the load generator's own: leave it out`);
  }
  return request;
}

/** The bytes of the request as each connection sends it. */
export function bytesOf(
  {
    method,
    target,
    request,
  }: { readonly method: string; readonly target: string; readonly request: BenchRequest },
  host: string,
): Buffer {
  const { body } = request;
  const content = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const given = Object.entries(request.headers ?? {});
  const has = (name: string): boolean => given.some(([known]) => known.toLowerCase() === name);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(has("host") ? [] : [`host: ${host}`]),
    ...given.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined || has("content-type") ? [] : ["content-type: application/json"]),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(content)}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(content)]);
}
