// The door on raw sockets: who is refused, with what, and in which order.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Type } from "@sinclair/typebox";
import fc from "fast-check";
import type { RunningServer } from "framework";
import { BearerAuth } from "framework/inspector";
import { Tickets } from "#inspector/door/tickets.js";
import { Feed } from "#inspector/feed/feed.js";
import { endpoint } from "#inspector/server/endpoint.js";
import { inspectorIngress } from "#inspector/server/inspector-ingress.js";
import { ticketEndpoints } from "#inspector/server/ticket-endpoints.js";
import { type Conversation, talk } from "../../support/wire.js";

const OPERATOR = "operator-token-0123456789";
const VIEWER = "viewer-token-0123456789";
const FOREIGN = "http://evil.example";

const shown = endpoint({
  route: "GET /api/v1/shown",
  role: "viewer",
  summary: "show",
  run: () => ({ is: "shown" }),
});
const asked = endpoint({
  route: "POST /api/v1/asked",
  role: "viewer",
  summary: "ask",
  run: () => ({ is: "asked" }),
});
const changed = endpoint({
  route: "POST /api/v1/changed",
  role: "operator",
  summary: "change",
  takes: Type.Object({ n: Type.Integer() }),
  run: ({ n }) => ({ n }),
});

let server: RunningServer;
before(async () => {
  const tickets = new Tickets({ limit: 100_000 });
  const feed = new Feed();
  server = await inspectorIngress({
    auth: BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER }),
    tickets,
    allowedHosts: ["inspector.example"],
    allowedOrigins: ["https://desk.example"],
    endpoints: [shown, asked, changed, ...ticketEndpoints({ tickets, feed, now: Date.now })],
    feed,
    reporter: () => {},
    page: undefined,
  })
    .bind("127.0.0.1:0")
    .run();
});
after(() => server.close());

interface Asked {
  readonly method: string;
  readonly path: string;
  /** Undefined: none is sent. */
  readonly host: string | undefined;
  readonly authorization: string | undefined;
  /** "own": that of the Host. */
  readonly origin: string | undefined;
}

const OPEN = ["/", "/healthz", "/assets/nothing.js"];
const PATHS: Readonly<Record<string, readonly string[]>> = {
  "/": ["GET"],
  "/healthz": ["GET"],
  "/assets/nothing.js": ["GET"],
  "/api/v1/shown": ["GET"],
  "/api/v1/asked": ["POST"],
  "/api/v1/changed": ["POST"],
  "/api/v1/tickets": ["POST"],
};
const SERVED_HOSTS = [
  "127.0.0.1:1",
  "localhost",
  "localhost:3001",
  "LOCALHOST",
  "[::1]:9",
  "inspector.example",
];
const FOR_VIEWERS = ["/api/v1/asked", "/api/v1/tickets"];

/** What section 7 of the specification says, in its order. */
function expected({ method, path, host, authorization, origin }: Asked): number {
  // The engine asks nobody of a request without a Host.
  if (host === undefined) return 400;
  if (!["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].includes(method)) return 501;
  if (host.includes(" ")) return 400;
  if (!SERVED_HOSTS.includes(host)) return 421;
  const reads = method === "GET" || method === "HEAD";
  if (reads && path === "/assets/nothing.js") return 404;
  if (reads && OPEN.includes(path)) return 200;
  if (authorization !== `Bearer ${OPERATOR}` && authorization !== `bearer ${VIEWER}`) return 401;
  if (origin !== undefined && origin !== "own" && origin !== "https://desk.example") return 403;
  const isSafe = reads || method === "OPTIONS";
  if (authorization === `bearer ${VIEWER}` && !isSafe)
    if (!(method === "POST" && FOR_VIEWERS.includes(path))) return 403;
  const methods = PATHS[path];
  if (methods === undefined) return path.includes("%zz") ? 400 : 404;
  if (method === "OPTIONS") return 204;
  if (!methods.includes(method === "HEAD" ? "GET" : method)) return 405;
  return 200;
}

const request = ({ method, path, host, authorization, origin }: Asked): string =>
  [
    `${method} ${path} HTTP/1.1`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ...(origin === undefined
      ? []
      : [`Origin: ${origin === "own" ? `http://${host?.toLowerCase()}` : origin}`]),
    ...(path === "/api/v1/changed" ? ["Content-Type: application/json", "Content-Length: 7"] : []),
    "",
    path === "/api/v1/changed" ? '{"n":1}' : "",
  ].join("\r\n");

const ask = async (asked: Asked): Promise<Conversation["replies"][number]> => {
  const { replies } = await talk(server.address, request(asked), {
    until: 1,
    heads: asked.method === "HEAD" ? [0] : [],
  });
  assert.ok(replies[0], JSON.stringify(asked));
  return replies[0];
};

const anyAsked = fc.record<Asked>({
  method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"),
  path: fc.constantFrom(
    ...Object.keys(PATHS),
    "/api/v1/nothing",
    "/nothing",
    "/assets",
    "/%zz",
    "/API/v1/shown",
  ),
  host: fc.constantFrom(...SERVED_HOSTS, "evil.example", "localhost.evil.example", "a b", undefined),
  authorization: fc.constantFrom(
    `Bearer ${OPERATOR}`,
    `bearer ${VIEWER}`,
    `Bearer ${OPERATOR}x`,
    `Basic ${OPERATOR}`,
    "Bearer",
    undefined,
  ),
  origin: fc.constantFrom("own", FOREIGN, "null", "https://desk.example", undefined),
});

describe("the door of the Inspector", () => {
  test("refuses in the order of its specification, whatever is wrong at once", async () => {
    await fc.assert(
      fc.asyncProperty(anyAsked, async (asked) => {
        assert.equal((await ask(asked)).status, expected(asked), JSON.stringify(asked));
      }),
      { numRuns: 400 },
    );
  });

  const good: Asked = {
    method: "GET",
    path: "/api/v1/shown",
    host: "localhost",
    authorization: `Bearer ${OPERATOR}`,
    origin: undefined,
  };

  test("challenges who has no token, and says no more of a wrong one", async () => {
    const without = await ask({ ...good, authorization: undefined });
    const wrong = await ask({ ...good, authorization: "Bearer wrong-token-0123456789" });

    assert.match(without.headers["www-authenticate"] ?? "", /^Bearer /);
    assert.match(wrong.headers["www-authenticate"] ?? "", /error="invalid_token"/);
    assert.equal(JSON.parse(without.body).code, "TOKEN_MISSING");
    assert.equal(JSON.parse(wrong.body).code, "TOKEN_INVALID");
    assert.ok(!wrong.body.includes("wrong-token"));
  });

  test("finds no way around it in the spelling of a path", async () => {
    const viewer = { ...good, authorization: `bearer ${VIEWER}`, method: "POST" };
    for (const path of [
      "/api/v1/%63hanged",
      "/api/v1/changed?x=1",
      "/api//v1/changed",
      "/healthz/../api/v1/changed",
    ])
      assert.equal((await ask({ ...viewer, path })).status, 403, path);
    for (const path of ["/%68ealthz/", "/assets/..%2f..%2fapi/v1/shown", "/healthz/x"])
      assert.equal((await ask({ ...good, path, authorization: undefined })).status, 401, path);
  });

  test("has answers that no cache keeps and no frame shows", async () => {
    const { headers } = await ask(good);

    assert.equal(headers["cache-control"], "no-store");
    assert.match(headers["content-security-policy"] ?? "", /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["access-control-allow-origin"], undefined);
  });

  test("gives viewers and operators tickets of their own role", async () => {
    const mine = JSON.parse((await ask({ ...good, method: "POST", path: "/api/v1/tickets" })).body);
    const theirs = JSON.parse(
      (await ask({ ...good, method: "POST", path: "/api/v1/tickets", authorization: `bearer ${VIEWER}` }))
        .body,
    );

    assert.equal(mine.kind, "inspector.ticket.v1");
    assert.match(mine.data.ticket, /^ticket\.[\w-]{32}$/);
    assert.deepEqual([mine.data.role, theirs.data.role], ["operator", "viewer"]);
    assert.notEqual(mine.data.ticket, theirs.data.ticket);
  });
});
