// The Inspector as an ingress of the framework, with guards and Axons.

import { fault, isFault, pass } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import { guard } from "#core/flow/guard.js";
import { layer } from "#core/flow/layer.js";
import { type HttpIngress, http } from "#http/ingress/ingress.js";
import { Refusal } from "#http/refusal/refusal.js";
import { Axon } from "#runtime/axon/axon.js";
import { SecurityHeadersGuard } from "#std/guards/security-headers-guard.js";
import { SecurityPolicy } from "#std/guards/security-policy.js";
import { Health } from "../api/status.js";
import type { BearerAuth } from "../door/bearer-auth.js";
import { Door } from "../door/door.js";
import type { Tickets } from "../door/tickets.js";
import type { Feed } from "../feed/feed.js";
import { FEED_PATH, feedFlow } from "../feed/feed-route.js";
import { documentEndpoint } from "./api-document.js";
import type { Endpoint } from "./endpoint.js";
import { servePage } from "./page.js";

export interface InspectorServerOptions {
  readonly auth: BearerAuth;
  readonly tickets: Tickets;
  /** Host names beside those of loopback and the listening host. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly endpoints: readonly Endpoint[];
  readonly feed: Feed;
  readonly reporter: Reporter;
  /** Folder of the page's build; undefined without a build. */
  readonly page: string | undefined;
}

/** Host names of loopback. */
const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** The page holds tokens and payloads: it submits no form and loads only its own files. */
const POLICY = SecurityPolicy.default()
  .withCsp({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": ["'self'", "data:"],
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'none'",
    "object-src": false,
  })
  .with({ "referrer-policy": "no-referrer" });

/** Already reported by the inspected server, or about an OpenAPI document, which the Inspector has none of. */
const UNREPORTED: ReadonlySet<string> = new Set([
  "LOOP_BLOCKED",
  "NATIVE_UNTESTED",
  "PERSONAL_DATA_UNMARKED",
  "RESPONSE_UNDECLARED",
]);

const NO_STORE = guard({
  name: "InspectorNoStore",
  description: "Answers are kept by no cache",
  responseHeaders: { always: { "cache-control": "no-store" } },
  run: (input) => pass(input),
});

/** One status, 422, for every wrong parameter: of path and query they would be 400 where they do not parse. */
const WRONG_PARAMETERS = layer({
  name: "WrongParameters",
  run: async (_, next) => {
    const outcome = await next();
    if (!isFault(outcome) || !(outcome.error instanceof Refusal)) return outcome;
    const { code, detail, errors } = outcome.error.problem;
    if (code !== "PARAMETER_INVALID") return outcome;
    return fault(
      new Refusal("INPUT_INVALID", { ...(detail !== undefined && { detail }), ...(errors && { errors }) }),
    );
  },
});

type Inspector = HttpIngress<never, never>;

/** Does not listen yet. */
export function inspectorIngress(options: InspectorServerOptions): Inspector {
  const { auth, tickets, allowedOrigins } = options;
  const endpoints = [...options.endpoints, documentEndpoint(() => ingress.routes())];
  const door = new Door({ auth, tickets, allowedOrigins });
  const ingress: Inspector = http({
    allowedHosts: [...LOOPBACK_HOSTS, ...options.allowedHosts],
    reporter: (report) => {
      if (!UNREPORTED.has(report.code)) options.reporter(report);
    },
    processGuards: false,
    bodyTimeoutMs: 7500,
    maxConnections: 1000,
    maxInFlight: 256,
    maxBodyBytesInFlight: 4_194_304,
  })
    .requestIdLayer()
    .compressionLayer()
    .layer(WRONG_PARAMETERS);
  ingress.guard(new SecurityHeadersGuard(POLICY));
  for (const guard of door.guards) ingress.guard(guard);
  for (const each of endpoints) mount(ingress, each, door);
  ingress.ws(FEED_PATH, feedFlow(options.feed, door, allowedOrigins) as never);
  const open = { without: door.openTo.anybody };
  ingress.get("/healthz", HEALTH, { ...open, summary: "Whether the server responds" });
  servePage(ingress, options.page, open);
  return ingress;
}

const HEALTH = Axon.start("GET /healthz")
  .thenFn(
    "answer",
    () => ({ api_version: "1.0", kind: "inspector.health.v1", data: { status: "ok" } }) as const,
  )
  .withOutputSchema(Health);

function mount(ingress: Inspector, { method, path, role, summary, axon, input }: Endpoint, door: Door): void {
  const options = {
    summary,
    // The guards of all routes let viewers read.
    guards: role === "operator" && method === "GET" ? [door.forOperators, NO_STORE] : [NO_STORE],
    without: role === "viewer" && method !== "GET" ? door.openTo.viewers : [],
    // Other responses may have a secret beside data of the request: their length would tell it.
    compress: path === "/metrics",
    ...(input !== undefined && { input }),
  };
  ingress.route(`${method} ${path}`, axon as never, options as never);
}
