import { Type } from "@sinclair/typebox";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import { FrameworkError } from "#core/errors.js";
import { RUN_STATE_NAMES } from "#core/ports/run-state.js";
import { RUN_ACCEPTED } from "#http/answer/route-responses.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import type { Content, OperationResponse } from "./operation.js";
import { bodiesOf } from "./response-bodies.js";

export const PROBLEM = "application/problem+json";

/** Headers that a status has by its standard (RFC 9110 and its kin), or by what the ingress does. */
const OF_STATUS: Readonly<Record<number, readonly string[]>> = {
  202: ["location", "retry-after"],
  206: ["accept-ranges", "content-range", "etag", "last-modified"],
  301: ["location"],
  304: ["etag"],
  308: ["location"],
  401: ["www-authenticate"],
  416: ["content-range"],
  426: ["upgrade"],
  429: ["retry-after"],
  503: ["retry-after"],
};

/** Security headers and what browsers alone read: no client has anything to do with them. */
const UNLISTED =
  /^(?:vary|content-security-policy.*|strict-transport-security|x-frame-options|x-content-type-options|referrer-policy|permissions-policy|cross-origin-.*|cache-control|origin-agent-cluster|x-.*-policy.*|access-control-.*)$/;

const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 301, 304, 308]);

/** Throws OPENAPI_INVALID for a declared response that is none. */
export function responsesOf(route: RouteInfo): readonly OperationResponse[] {
  const { responses, writes } = route;
  for (const response of responses) requireResponse(response, route);
  const problems = new Map<number, DeclaredResponse[]>();
  const statuses = new Set<number>();
  for (const response of responses) {
    const { status, code } = response;
    statuses.add(status);
    if (code !== undefined) problems.set(status, [...(problems.get(status) ?? []), response]);
  }
  const listed = writes.filter((name) => !UNLISTED.test(name));
  return [...statuses]
    .sort((a, b) => a - b)
    .map((status) => ({
      status,
      content: contentOf(status, route, problems.has(status)),
      problems: (problems.get(status) ?? []).sort(byCode),
      headers: [...new Set([...headersFor(status, listed), ...(OF_STATUS[status] ?? [])])].sort(),
    }));
}

function requireResponse(response: DeclaredResponse, { method, path }: RouteInfo): void {
  const { status, code } = (response ?? {}) as Partial<DeclaredResponse>;
  const isStatus = Number.isInteger(status) && (status as number) >= 101 && (status as number) <= 599;
  if (isStatus && (code === undefined || (typeof code === "string" && code !== ""))) return;
  throw new FrameworkError(
    "OPENAPI_INVALID",
    `${method} ${path}: ${JSON.stringify(response)} in its responses is none: write { status: 409, code: "TAKEN", title: "It is taken" }, or the ProblemDetail itself`,
  );
}

const byCode = (a: DeclaredResponse, b: DeclaredResponse): number =>
  (a.code ?? "") < (b.code ?? "") ? -1 : 1;

/** What is written is on responses behind the guard that writes it: on problems only what every one can have. */
const headersFor = (status: number, names: readonly string[]): readonly string[] =>
  status < 400 ? names : names.filter((name) => /^(?:x-request-id|ratelimit)/.test(name));

function contentOf(status: number, route: RouteInfo, isProblem: boolean): readonly Content[] {
  const { responseSchemas, responses, output, events } = route;
  if (BODILESS.has(status)) return [];
  const own = responseSchemas[status];
  if (status >= 400) {
    // Beside a problem of its own: what `onFault` makes of one.
    const plain = own === undefined || isProblem ? [] : bodiesOf(own);
    return [{ media: PROBLEM, schema: isProblem ? own : undefined }, ...plain];
  }
  if (events !== undefined && status === 200) return [{ media: "text/event-stream", schema: undefined }];
  if (status === 202 && own === undefined && responses.includes(RUN_ACCEPTED))
    return [{ media: "application/json", schema: ACCEPTED }];
  const schema = own ?? output;
  return schema === undefined ? [{ media: "*/*", schema: undefined }] : bodiesOf(schema);
}

/** A repeated request with a key has the state of its run. */
const ACCEPTED = Type.Object(
  {
    run_id: Type.String(),
    state: Type.Union(RUN_STATE_NAMES.map((state) => Type.Literal(state))),
  },
  { title: "Run accepted" },
);
