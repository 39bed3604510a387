// Guards and layers.

import { authorize, bytes, fault, guard, header, ProblemDetail, pass } from "framework";
import {
  BodyLimitGuard,
  ConditionalRequestGuard,
  ContentTypeGuard,
  CorsGuard,
  CsrfGuard,
  IdempotencyGuard,
  IpFilterGuard,
  RateLimitGuard,
  RedirectGuard,
  SecurityHeadersGuard,
  TimeoutGuard,
} from "framework/std";
import { echo, nothing, OF_BODY, OK, row, TOO_LARGE } from "./rows.js";

row(
  "GET /layer",
  nothing("layer"),
  { layers: [authorize((bus) => bus.find(header("x-team")) === "ops", { mayRead: [header("x-team")] })] },
  { headers: { "x-team": "ops" } },
  { 200: OK, 403: { headers: { "x-team": "sales" } } },
);
const BARRED = new ProblemDetail({ status: 403, code: "BARRED", title: "Barred" });
row(
  "GET /guard/own",
  nothing("guard-own"),
  {
    guards: [
      guard({
        name: "door",
        mayRead: [header("x-card")],
        responses: [BARRED],
        run: (input, bus) => (bus.find(header("x-card")) === "13" ? fault(BARRED) : pass(input)),
      }),
    ],
  },
  {},
  { 200: OK, 403: { headers: { "x-card": "13" } } },
);
row(
  "GET /guard/rate",
  nothing("guard-rate"),
  { guards: [new RateLimitGuard(1, 3_600_000, { name: "rate" })] },
  {},
  {
    200: OK,
    429: OK,
  },
);
row(
  "GET /guard/ip",
  nothing("guard-ip"),
  {
    guards: [
      guard({
        name: "ip",
        responses: IpFilterGuard.allowList([]).responses,
        mayRead: [header("x-ip")],
        run: (input, bus) =>
          bus.find(header("x-ip")) === "bad"
            ? IpFilterGuard.allowList([]).run(input, { find: () => "9.9.9.9" } as any)
            : pass(input),
      }),
    ],
  },
  {},
  { 200: OK, 403: { headers: { "x-ip": "bad" } } },
);
row(
  "POST /guard/csrf",
  nothing("guard-csrf"),
  { guards: [new CsrfGuard()] },
  {},
  { 200: OK, 403: { headers: { "sec-fetch-site": "cross-site" } } },
);
row(
  "GET /guard/csrf",
  nothing("guard-csrf-get"),
  { guards: [new CsrfGuard()] },
  {},
  { 200: { headers: { "sec-fetch-site": "cross-site" } } },
);
row(
  "GET /guard/cors",
  nothing("guard-cors"),
  { guards: [new CorsGuard({ allowedOrigins: ["https://shop.example"] })] },
  {},
  { 200: OK, 403: { headers: { origin: "https://bad.example" } } },
);
row(
  "GET /guard/cors-public",
  nothing("guard-cors-public"),
  { guards: [new CorsGuard()] },
  {},
  { 200: { headers: { origin: "https://any.example" } } },
);
row(
  "POST /guard/type",
  echo("guard-type"),
  { input: bytes(), guards: [new ContentTypeGuard(["image/*"])] },
  { headers: { "content-type": "image/png" }, body: "x" },
  { ...OF_BODY, 200: OK },
);
row(
  "POST /guard/limit",
  echo("guard-limit"),
  { input: bytes(), guards: [new BodyLimitGuard(5)] },
  { body: "x" },
  { ...OF_BODY, 200: OK, 413: { body: "123456" } },
);
row("GET /guard/timeout", nothing("guard-timeout"), { guards: [new TimeoutGuard(1)] }, {}, { 200: OK });
row(
  "GET /guard/headers",
  nothing("guard-headers"),
  { guards: [new SecurityHeadersGuard()] },
  {},
  { 200: OK },
);
const current = () => ({ etag: '"v1"' });
row(
  "GET /guard/conditional",
  nothing("guard-conditional"),
  { guards: [new ConditionalRequestGuard({ current })] },
  {},
  {
    200: OK,
    304: { headers: { "if-none-match": '"v1"' } },
    400: { headers: { "if-match": "v1" } },
    412: { headers: { "if-match": '"v0"' } },
  },
);
row(
  "PUT /guard/conditional",
  nothing("guard-conditional-put"),
  { guards: [new ConditionalRequestGuard({ current, required: true })] },
  { headers: { "if-match": '"v1"' } },
  {
    200: OK,
    400: { headers: { "if-match": "v1" } },
    412: { headers: { "if-match": '"v0"' } },
    428: { headers: { "if-match": [] } },
  },
);
row(
  "GET /guard/redirect",
  nothing("guard-redirect"),
  {
    guards: [
      RedirectGuard.prefix("/guard/redirect/old", "/guard/redirect/new"),
      RedirectGuard.toHost("new.example"),
    ],
  },
  { headers: { host: "new.example" } },
  { 200: OK, 301: { headers: { host: "old.example" } } },
);
row(
  "POST /guard/redirect",
  nothing("guard-redirect-post"),
  { guards: [RedirectGuard.toHost("new.example")] },
  { headers: { host: "new.example" } },
  { 200: OK, 308: { headers: { host: "old.example" } } },
);
row(
  "POST /guard/idempotent",
  nothing("guard-idempotent"),
  { guards: [new IdempotencyGuard({ maxBodyBytes: 0, required: true })] },
  { headers: { "idempotency-key": "k0" }, body: "a" },
  {
    200: OK,
    400: { headers: { "idempotency-key": [] } },
    408: OK,
    409: async (send) => {
      await send({ headers: { "idempotency-key": "k1" } });
      return send({ headers: { "idempotency-key": "k1" } });
    },
    413: TOO_LARGE,
    422: async (send) => {
      await send({ headers: { "idempotency-key": "k2" } });
      return send({ headers: { "idempotency-key": "k2" }, body: "b" });
    },
  },
);
