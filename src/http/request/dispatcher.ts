// Passes each request from the native server through the gate and the router to its circuit. Never
// throws: the engine would exit the process.

import type { Reporter } from "#core/bus/reporter.js";
import type { AnswerPolicy } from "../answer/answer-policy.js";
import { CompressingExchange } from "../answer/compression/compressing-exchange.js";
import { Compression } from "../answer/compression/compression.js";
import { internal } from "../answer/fault-problem.js";
import { sendFailure, sendRefusal, sendUnrouted } from "../answer/problem-answer.js";
import type { ClientReader } from "../client/client.js";
import { Exchange } from "../exchange/exchange.js";
import type { InFlight } from "../exchange/in-flight.js";
import { clientRequestId } from "../exchange/request-id.js";
import { Gate } from "../native/gate.js";
import { decodePath } from "../native/path-decoding.js";
import type { NativeRequest, NativeResponse, NativeUpgrade } from "../native/port.js";
import { WalkedRequest } from "../native/walked-request.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { Refusal } from "../refusal/refusal.js";
import type { Router } from "../routing/router.js";
import { Circuit } from "./circuit.js";
import type { MountedRoutes, WatchingExtensions } from "./mounted-routes.js";
import { Observation, type ObservationContext, type Observed } from "./observation.js";
import { RequestTraces } from "./request-traces.js";

/** Statuses of requests with untrusted framing: no byte of the body is read. */
const UNTRUSTED: ReadonlySet<number> = new Set([400, 501]);

const OVERLOADED = new Refusal("OVERLOADED", { headers: { "retry-after": "1" } });
const UNPROXIED = new Refusal("PROXY_HEADER_MISSING", { ends: true });

/** Detects page navigations for the SPA fallback. */
export interface PageRule {
  takes(method: string, segments: readonly string[], accept: string): boolean;
}

type DispatchedRoutes = Pick<MountedRoutes, "context" | "own" | "router" | "unrouted" | "fallback" | "page">;

export interface DispatcherParts {
  readonly plan: IngressPlan;
  readonly routes: DispatchedRoutes;
  readonly inFlight: InFlight;
  readonly extensions: WatchingExtensions;
  /** Undefined without an SPA fallback. */
  readonly pages: PageRule | undefined;
}

export class Dispatcher {
  readonly #gate: Gate;
  readonly #routes: DispatchedRoutes;
  readonly #router: Router<Circuit>;
  readonly #clients: ClientReader;
  readonly #pages: PageRule | undefined;
  readonly #policy: AnswerPolicy;
  readonly #answersPreflights: boolean;
  readonly #compression: Compression | undefined;
  readonly #observed: Observed;
  readonly #observation: ObservationContext;
  readonly #traces: RequestTraces | undefined;
  readonly #inFlight: InFlight;
  readonly #showsId: boolean;
  /** True if requests need preparation before the gate. */
  readonly #prepares: boolean;
  readonly #isObserved: boolean;
  /** True if a response before routing is possible, or headers apply to every response. */
  readonly #isFronted: boolean;
  readonly #reporter: Reporter;
  readonly #production: boolean;
  readonly #bodyLimit: number;
  /** Undefined while in use, and if no header is looked up. */
  #walked: WalkedRequest | undefined;

  constructor({ plan, routes, inFlight, extensions, pages }: DispatcherParts) {
    const { policy, clients, observation } = routes.context;
    const circuits = routes.own;
    this.#gate = new Gate(plan);
    this.#routes = routes;
    this.#router = routes.router;
    this.#clients = clients;
    this.#pages = pages;
    this.#policy = policy;
    this.#observed = { observers: policy.observers, facts: new Map(), route: undefined };
    this.#observation = observation;
    this.#traces = plan.tracing && new RequestTraces(plan.tracing, clients, this.#observed, observation);
    this.#answersPreflights = [policy, ...circuits.map((one) => one.policy)].some(({ cors }) => cors);
    this.#compression = plan.compression && new Compression(plan.compression);
    this.#inFlight = inFlight;
    this.#showsId = plan.requestIds;
    this.#isObserved = policy.observers.length + extensions.counts.length > 0;
    this.#prepares = this.#showsId || this.#isObserved;
    this.#isFronted =
      !policy.isEmpty || this.#answersPreflights || clients.readsProxied || this.#compression !== undefined;
    const looksUp = this.#showsId || this.#compression !== undefined || circuits.some((one) => one.looksUp);
    this.#walked = looksUp ? new WalkedRequest() : undefined;
    this.#reporter = plan.reporter;
    this.#production = plan.production;
    this.#bodyLimit = plan.bodyLimit;
  }

  /** The native handler. When it returns, the response is sent or an abort handler is registered (X2). */
  handle(
    response: NativeResponse,
    native: NativeRequest,
    method: string,
    requestId = "",
    upgrade: NativeUpgrade | null = null,
  ): void {
    const exchange =
      this.#compression === undefined
        ? new Exchange(response, this.#inFlight)
        : new CompressingExchange(response, this.#inFlight, this.#compression);
    if (upgrade !== null) exchange.own().upgrade = upgrade;
    exchange.method = method;
    exchange.requestId = requestId;
    exchange.bodyLimit = this.#bodyLimit;
    // Tests may send a request inside the handler of another request.
    const walked = this.#walked;
    this.#walked = undefined;
    try {
      walked?.walk(native);
      this.#dispatch(exchange, walked ?? native);
    } catch (error) {
      const message = "The framework failed while it took a request";
      sendFailure(exchange, internal(message, error, this.#production));
      this.#reporter({ code: "INGRESS_FAILED", message, error, ...exchange.reportIds });
    } finally {
      // hole: a step that waits could read another request's headers
      walked?.forget();
      this.#walked = walked;
    }
  }

  /** True if a GET of the path is a handshake of this behaviour. */
  upgradesBy(behaviour: number, path: string): boolean {
    const found = this.#router.find({ method: "GET", path, segments: [] });
    return found instanceof Circuit && found.behaviour === behaviour;
  }

  #dispatch(exchange: Exchange, sent: NativeRequest): void {
    let request = sent;
    if (this.#prepares) this.#prepare(exchange, request);
    const refusal = this.#gate.pass(request, exchange);
    if (this.#traces !== undefined) this.#traces.begin(exchange, request);
    if (this.#isFronted) {
      if (this.#isTakenBefore(exchange, request, refusal)) return;
      // Not earlier: responses before this line are problems, or have no body.
      if (exchange instanceof CompressingExchange) request = exchange.negotiate(request);
    } else if (refusal !== null) {
      this.#refuse(exchange, request, refusal);
      return;
    }
    const found = this.#router.find(exchange);
    if (found instanceof Refusal) this.#serveUnrouted(exchange, request, found);
    else if (this.#inFlight.isFull && !found.isProbe) found.requests.refuse(exchange, request, OVERLOADED);
    // Probes are exempt from the limit: a busy server is alive and ready.
    else found.requests.serve(exchange, request);
  }

  #prepare(exchange: Exchange, request: NativeRequest): void {
    if (this.#isObserved) Observation.of(exchange, this.#observed, this.#observation);
    if (this.#showsId) exchange.requestId ||= clientRequestId(request.getHeader("x-request-id"));
  }

  /** Returns true if it has sent a response. */
  #isTakenBefore(exchange: Exchange, request: NativeRequest, refusal: Refusal | null): boolean {
    if (!this.#policy.isEmpty) this.#policy.apply(exchange, request, this.#clients);
    const refused = refusal ?? (this.#clients.lacksProxied(exchange) ? UNPROXIED : null);
    if (refused === null)
      return (
        this.#answersPreflights && exchange.method === "OPTIONS" && this.#answerPreflight(exchange, request)
      );
    this.#refuse(exchange, request, refused);
    return true;
  }

  /** Answers a preflight. Returns false if the request is not a preflight, or no guard has CORS rules. */
  #answerPreflight(exchange: Exchange, request: NativeRequest): boolean {
    const method = request.getHeader("access-control-request-method");
    if (method === "") return false;
    this.#fetchTold(exchange, request);
    const { policy } = this.#servingPreflighted(exchange.path, method) ?? { policy: this.#policy };
    return policy.answerPreflight(exchange, request, this.#clients);
  }

  /** The route of the preflighted request, or of the path by another method. */
  #servingPreflighted(path: string, method: string): Circuit | undefined {
    const found = this.#router.find({ method, path, segments: [] });
    if (found instanceof Circuit) return found;
    // Allow lists OPTIONS too, which usually has no route.
    for (const other of found.headers["allow"]?.split(", ") ?? []) {
      const circuit = this.#router.find({ method: other, path, segments: [] });
      if (circuit instanceof Circuit) return circuit;
    }
    return found.problem.status === 404 ? this.#routes.fallback : undefined;
  }

  #refuse(exchange: Exchange, request: NativeRequest, refusal: Refusal): void {
    if (refusal.ends && UNTRUSTED.has(refusal.problem.status)) exchange.bodyLength = 0;
    this.#fetchTold(exchange, request);
    sendRefusal(exchange, refusal);
  }

  /** Fetches facts for observers of requests without a route. */
  #fetchTold(exchange: Exchange, request: NativeRequest): void {
    if (exchange.observation !== null) this.#routes.unrouted?.requests.fetch(exchange, request);
  }

  #serveUnrouted(exchange: Exchange, request: NativeRequest, refusal: Refusal): void {
    const { unrouted, fallback, page } = this.#routes;
    if (this.#inFlight.isFull) {
      this.#refuse(exchange, request, OVERLOADED);
      return;
    }
    if (refusal.problem.status === 404 && (page ?? fallback) !== undefined) {
      const decoded = decodePath(exchange.path);
      if (!(decoded instanceof Refusal)) exchange.segments = decoded.segments;
      const circuit = this.#isNavigation(exchange, request) ? page : fallback;
      if (circuit !== undefined) {
        circuit.requests.serve(exchange, request);
        return;
      }
    }
    exchange.own().refusal = refusal;
    if (unrouted === undefined) sendUnrouted(exchange, refusal);
    else unrouted.requests.serve(exchange, request);
  }

  #isNavigation({ method, segments }: Exchange, request: NativeRequest): boolean {
    return this.#pages?.takes(method, segments, request.getHeader("accept")) === true;
  }
}
