// Routes by hand, each extractor, guard, policy and kind of answer, with a request for each status that
// the document says of them.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Axon, Framework, fault, header, Type } from "framework";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { layer } from "#core/flow/layer.js";
import type { Asked, Seen } from "../matrix-request.js";

export type Send = (asked?: Asked) => Promise<Seen>;
/** A request, or several of which the last counts. */
export type Provocation = Asked | ((send: Send) => Promise<Seen>);

export interface Row {
  readonly method: string;
  readonly path: string;
  readonly ask: Readonly<Record<number, Provocation>>;
  /** What is sent beside what a provocation says. */
  readonly base: Asked;
}

const rows: Row[] = [];
export const matrix: readonly Row[] = rows;

/** Plants a failure in front of whatever a route does. */
const PLANT = header("x-plant");
const planted = layer({
  name: "planted",
  mayRead: [PLANT],
  run(bus, next) {
    switch (bus.find(PLANT)) {
      case "500":
        throw new Error("planted");
      case "503":
        return fault(runtimeFault({ code: "RUN_ABORTED", reason: "planted" }));
      case "504":
        return new Promise(() => {});
      default:
        return next();
    }
  },
});

const folder = mkdtempSync(join(tmpdir(), "openapi-matrix-"));
writeFileSync(join(folder, "tide.txt"), "high at noon");
mkdirSync(join(folder, "charts"));
writeFileSync(join(folder, "charts", "index.html"), "<p>charts</p>");

const BODY_LIMIT = 1000;

export const ingress = Framework.http({
  routeTimeoutMs: 1000,
  bodyTimeoutMs: 100,
  discardTimeoutMs: 100,
  processGuards: false,
  reporter: () => {},
})
  .bodyLimit(BODY_LIMIT)
  // What was planted never ends.
  .gracefulShutdown(0)
  .layer(planted)
  .serveDir("/files", folder);

type Front = Readonly<Record<string, unknown>>;

/** Mounts a route; `own` says how each of its statuses is provoked, beside those of every route. */
export function row(
  route: `${string} /${string}`,
  axon: unknown,
  front: Front,
  base: Asked,
  own: Readonly<Record<number, Provocation>>,
): void {
  const [method = "", at = ""] = route.split(" ");
  (ingress as any).route(route, axon, front);
  note(method, at, base, own);
}

export function note(
  method: string,
  at: string,
  base: Asked,
  own: Readonly<Record<number, Provocation>>,
): void {
  const plant = (status: string): Asked => ({ headers: { "x-plant": status } });
  rows.push({
    method,
    path: at,
    base: { method, path: at.replace(/[:*](\w+)/g, "1"), ...base },
    ask: {
      500: plant("500"),
      503: plant("503"),
      ...(own[202] === undefined && { 504: plant("504") }),
      ...own,
    },
  });
}

const JSON_TYPE = { "content-type": "application/json" };
export const OK: Asked = {};
export const TOO_LARGE: Asked = { body: "x".repeat(BODY_LIMIT + 1) };
const CODED: Asked = {
  headers: { "content-type": "application/x-none", "content-encoding": "gzip" },
  body: "x",
};
/** What every reader of a body refuses. */
export const OF_BODY: Readonly<Record<number, Provocation>> = { 408: OK, 413: TOO_LARGE, 415: CODED };

export const echo = <T>(name: string) =>
  Axon.start<T>(name).thenFn("echo", (input) => ({ got: typeof input }));
export const nothing = (name: string) => Axon.start<void>(name).thenFn("say", () => ({ said: name }));

export const Order = Type.Object(
  { sku: Type.String({ minLength: 1 }), qty: Type.Integer({ minimum: 1 }) },
  { $id: "Order" },
);
export const ORDER = JSON.stringify({ sku: "tea", qty: 1 });
export const posted = (body: string): Asked => ({ headers: JSON_TYPE, body });
