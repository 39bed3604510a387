// Takes each request from the native server through the gate and the router to its circuit. Never
// throws: the engine would end the process.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import { systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import { Rooms } from "#core/facts/web-socket.js";
import { didYouMean, nearest } from "#core/nearest.js";
import { requireNoneMissing } from "#runtime/check/definite-assignment.js";
import { keysOf } from "#runtime/check/used-keys.js";
import type { Program } from "#runtime/compile/program.js";
import { requireDistinctNames } from "#runtime/run/bus-layout.js";
import { AnswerPolicy } from "../answer/answer-policy.js";
import { CompressingExchange } from "../answer/compression/compressing-exchange.js";
import { Compression } from "../answer/compression/compression.js";
import { internal } from "../answer/fault-problem.js";
import { sendFailure, sendRefusal, sendUnrouted } from "../answer/problem-answer.js";
import { ClientReader } from "../client/client.js";
import { Exchange } from "../exchange/exchange.js";
import type { InFlight } from "../exchange/in-flight.js";
import { clientRequestId } from "../exchange/request-id.js";
import { Timetable } from "../native/deadlines.js";
import { Gate } from "../native/gate.js";
import { decodePath } from "../native/path-decoding.js";
import type { NativeRequest, NativeResponse, NativeUpgrade } from "../native/port.js";
import { WalkedRequest } from "../native/walked-request.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { requireProxies } from "../plan/limit-options.js";
import { missingOn, type RouteDefinition } from "../plan/route-definition.js";
import { Refusal } from "../refusal/refusal.js";
import { Router } from "../routing/router.js";
import { type Extensions, noExtensions } from "../serving/extension.js";
import { Health, HealthKey, healthChecksOf } from "../serving/health.js";
import type { Phase } from "../serving/lifecycle.js";
import { ServedRunsKey } from "../serving/run-status.js";
import { OpenEvents, OpenEventsKey } from "../sse/event-client.js";
import { type Navigations, NavigationsKey } from "../static/navigations.js";
import { requireTlsPlace } from "../tls/tls-options.js";
import { axonsOf } from "../websocket/flow.js";
import { WebSocketRoute, WebSockets } from "../websocket/web-sockets.js";
import { Circuit } from "./circuit.js";
import type { CircuitContext } from "./circuit-context.js";
import { composed } from "./composition.js";
import { IngressSupply } from "./ingress-supply.js";
import { markedNames } from "./marked-names.js";
import { Observation, type ObservationContext, type Observed } from "./observation.js";
import { RequestTraces } from "./request-traces.js";
import { sharedBus } from "./shared-bus.js";
import { requireNoneUnkept } from "./unkept-keys.js";
import { unrouted } from "./unrouted.js";

/** Of requests whose framing is not trusted: none of the body is read. */
const UNTRUSTED: ReadonlySet<number> = new Set([400, 501]);

const OVERLOADED = new Refusal("OVERLOADED", { headers: { "retry-after": "1" } });
const UNPROXIED = new Refusal("PROXY_HEADER_MISSING", { ends: true });

export class Dispatcher {
  readonly deadlines = new Timetable();
  readonly webSockets: WebSockets;
  readonly events: OpenEvents;
  readonly #gate: Gate;
  readonly #clients: ClientReader;
  readonly #router: Router<Circuit>;
  readonly #circuits: readonly Circuit[];
  /** For guards and observers; undefined without any. */
  readonly #unrouted: Circuit | undefined;
  readonly #fallback: Circuit | undefined;
  /** Detects page navigations for the SPA fallback; undefined if there is none. */
  readonly #navigations: Navigations | undefined;
  readonly #page: Circuit | undefined;
  readonly #policy: AnswerPolicy;
  readonly #answersPreflights: boolean;
  readonly #compression: Compression | undefined;
  readonly #observed: Observed;
  readonly #observation: ObservationContext;
  readonly #traces: RequestTraces | undefined;
  readonly #inFlight: InFlight;
  readonly #showsId: boolean;
  /** Whether requests are prepared before the gate, and whether anything may respond before the route. */
  readonly #prepares: boolean;
  readonly #isObserved: boolean;
  readonly #isFronted: boolean;
  readonly #reporter: Reporter;
  readonly #production: boolean;
  readonly #bodyLimit: number;
  /** Undefined while it is in use, and where no header is looked up. */
  #walked: WalkedRequest | undefined;

  /** What all runs share: resources, and what the ingress puts beside them. */
  readonly constants: ReadonlyMap<AnyKey, unknown>;

  /** Throws where a route cannot run, and where a resource is missing. */
  constructor(
    plan: IngressPlan,
    resources: Readonly<Record<string, unknown>>,
    inFlight: InFlight,
    phase: () => Phase = () => "ready",
    extensions: Extensions = noExtensions,
  ) {
    const { reporter, production, bodyLimit } = plan;
    this.#policy = new AnswerPolicy(plan.guards, plan.log);
    plan.log.hide(markedNames(plan));
    this.#observed = { observers: this.#policy.observers, facts: new Map(), route: undefined };
    const { observers } = extensions;
    this.#observation = { log: plan.log, reporter, observers };
    const about = { resources, production, reporter, clock: systemClock };
    this.webSockets = new WebSockets(plan);
    this.events = new OpenEvents(plan, this.deadlines);
    const constants = resourceValues(plan.resources, resources)
      .set(HealthKey, new Health(healthChecksOf(plan), about, phase))
      .set(Rooms, this.webSockets.rooms)
      .set(OpenEventsKey, this.events);
    if (plan.kept !== undefined) constants.set(ServedRunsKey, plan.kept.runs);
    for (const { key, make } of plan.constants) constants.set(key, make(plan));
    this.constants = constants;
    if (plan.kept !== undefined) plan.kept.host.resources = sharedBus(plan, constants);
    const supply = new IngressSupply(constants, plan.provisions, plan.log);
    requireProxies(plan);
    requireTlsPlace(plan);
    this.#clients = new ClientReader(plan, plan.address, plan.tls === undefined ? "http" : "https");
    const context: CircuitContext = {
      ...plan,
      supply,
      recorder: extensions.recorderBeside(plan.recorder),
      bodyDeadlines: this.deadlines.of(plan.bodyTimeoutMs),
      deadlines: this.deadlines,
      clients: this.#clients,
      policy: this.#policy,
      observation: this.#observation,
      serves: "route",
    };
    requireDistinctNames(keysOfPlan(plan), "The ingress");
    const circuits = plan.routes.map((route) => this.#mounted(route, context));
    this.#unrouted =
      plan.guards.length === 0 && observers.every(({ reads }) => reads.length === 0)
        ? undefined
        : // Extensions have it from their observers: a scan would crowd the runs of routes out.
          new Circuit(unrouted(), { ...context, recorder: plan.recorder, layers: [], serves: "nothing" });
    this.#fallback = plan.fallback && new Circuit(plan.fallback, { ...context, serves: "fallback" });
    this.#navigations = constants.get(NavigationsKey) as Navigations | undefined;
    this.#page = plan.navigations && new Circuit(plan.navigations, { ...context, serves: "page" });
    const all = [...circuits, this.#unrouted, this.#fallback, this.#page].filter(
      (circuit) => circuit !== undefined,
    );
    const others = [...all.slice(circuits.length), ...this.webSockets.circuits];
    requireNoneMissing([...circuits.flatMap(missingOn), ...others.flatMap(({ missing }) => missing)]);
    requireNoneUnkept([...new Set([...circuits, ...others].flatMap(({ unkept }) => unkept))]);
    this.#gate = new Gate(plan);
    this.#traces =
      plan.tracing && new RequestTraces(plan.tracing, this.#clients, this.#observed, this.#observation);
    this.#router = new Router(plan);
    for (const circuit of circuits) this.#router.add(circuit);
    this.#router.followGet(circuits.filter(({ behaviour }) => behaviour < 0));
    this.#circuits = all;
    this.#answersPreflights = [this.#policy, ...all.map(({ policy }) => policy)].some(({ cors }) => cors);
    this.#compression = plan.compression && new Compression(plan.compression);
    this.#inFlight = inFlight;
    this.#showsId = plan.requestIds;
    this.#isObserved = this.#policy.observers.length + observers.length > 0;
    this.#prepares = this.#showsId || this.#isObserved;
    this.#isFronted =
      !this.#policy.isEmpty ||
      this.#answersPreflights ||
      this.#clients.readsProxied ||
      this.#compression !== undefined;
    const looksUp = this.#showsId || this.#compression !== undefined || all.some((one) => one.looksUp);
    this.#walked = looksUp ? new WalkedRequest() : undefined;
    this.#reporter = reporter;
    this.#production = production;
    this.#bodyLimit = bodyLimit;
  }

  /** The native handler: returns with a response, or with an abort handler (X2). */
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
    // Tests may send a request within the handler of another.
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
      walked?.forget();
      this.#walked = walked;
    }
  }

  /** Whether a GET of the path is a handshake of this behaviour. */
  upgradesBy(behaviour: number, path: string): boolean {
    const found = this.#router.find({ method: "GET", path, segments: [] });
    return found instanceof Circuit && found.behaviour === behaviour;
  }

  /** Number of runs that wait. */
  get running(): number {
    return this.#circuits.reduce((sum, { waiting }) => sum + waiting, this.webSockets.running);
  }

  get programs(): readonly Program[] {
    return [...this.#circuits, ...this.webSockets.circuits].map(({ program }) => program);
  }

  /** Reports the runs and requests that stopping cuts. */
  reportCut(unanswered: number, detached: number, afterMs: number): void {
    const because = `they took longer than the ${afterMs} ms that stopping may take`;
    if (detached > 0) {
      const message = `${detached} kept runs without a client were cut, and stay unfinished: ${because}`;
      this.#reporter({ code: "RUN_CUT", message });
    }
    for (const { name, waiting } of [...this.#circuits, ...this.webSockets.circuits]) {
      if (waiting === 0) continue;
      const message = `${waiting} of '${name}' were cut: ${because}`;
      this.#reporter({ code: "RUN_CUT", message, axon: name });
    }
    if (this.running > 0 || unanswered === 0) return;
    const message = `${unanswered} requests were cut whose bodies had not arrived, or whose answers were not taken: ${because}`;
    this.#reporter({ code: "RUN_CUT", message });
  }

  /** A WebSocket route becomes that of its handshake. */
  #mounted(route: RouteDefinition, context: CircuitContext): Circuit {
    if (route.webSocket === undefined) return new Circuit(route, context);
    const made = new WebSocketRoute(route, route.webSocket, this.webSockets, context);
    this.webSockets.add(made);
    const behaviour = this.webSockets.behaviourOf(made);
    return new Circuit({ ...made.opening, behaviour }, context);
  }

  #dispatch(exchange: Exchange, sent: NativeRequest): void {
    let request = sent;
    if (this.#prepares) this.#prepare(exchange, request);
    const refusal = this.#gate.pass(request, exchange);
    if (this.#traces !== undefined) this.#traces.begin(exchange, request);
    if (this.#isFronted) {
      if (this.#isTakenBefore(exchange, request, refusal)) return;
      // Responses before it are problems, or have no body.
      if (exchange instanceof CompressingExchange) request = exchange.negotiate(request);
    } else if (refusal !== null) {
      this.#refuse(exchange, request, refusal);
      return;
    }
    const found = this.#router.find(exchange);
    if (found instanceof Refusal) this.#serveUnrouted(exchange, request, found);
    else if (this.#inFlight.isFull && !found.isProbe) found.refuse(exchange, request, OVERLOADED);
    // A busy server is alive and ready.
    else found.serve(exchange, request);
  }

  #prepare(exchange: Exchange, request: NativeRequest): void {
    if (this.#isObserved) exchange.own().observation = new Observation(this.#observed, this.#observation);
    if (this.#showsId) exchange.requestId ||= clientRequestId(request.getHeader("x-request-id"));
  }

  /** Returns whether it has responded. */
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

  /** Returns whether the request was a preflight. */
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
    // Allow lists OPTIONS too, which mostly has no route.
    for (const other of found.headers["allow"]?.split(", ") ?? []) {
      const circuit = this.#router.find({ method: other, path, segments: [] });
      if (circuit instanceof Circuit) return circuit;
    }
    return found.problem.status === 404 ? this.#fallback : undefined;
  }

  #refuse(exchange: Exchange, request: NativeRequest, refusal: Refusal): void {
    if (refusal.ends && UNTRUSTED.has(refusal.problem.status)) exchange.bodyLength = 0;
    this.#fetchTold(exchange, request);
    sendRefusal(exchange, refusal);
  }

  /** For observers of requests without a route. */
  #fetchTold(exchange: Exchange, request: NativeRequest): void {
    if (exchange.particulars.observation !== null) this.#unrouted?.fetch(exchange, request);
  }

  #serveUnrouted(exchange: Exchange, request: NativeRequest, refusal: Refusal): void {
    if (this.#inFlight.isFull) {
      this.#refuse(exchange, request, OVERLOADED);
      return;
    }
    if (refusal.problem.status === 404 && (this.#page ?? this.#fallback) !== undefined) {
      const decoded = decodePath(exchange.path);
      if (!(decoded instanceof Refusal)) exchange.segments = decoded.segments;
      const circuit = this.#isNavigation(exchange, request) ? this.#page : this.#fallback;
      if (circuit !== undefined) {
        circuit.serve(exchange, request);
        return;
      }
    }
    exchange.own().refusal = refusal;
    if (this.#unrouted === undefined) sendUnrouted(exchange, refusal);
    else this.#unrouted.serve(exchange, request);
  }

  #isNavigation({ method, segments }: Exchange, request: NativeRequest): boolean {
    return this.#navigations?.takes(method, segments, request.getHeader("accept")) === true;
  }
}

function keysOfPlan(plan: IngressPlan): ReadonlySet<AnyKey> {
  const { resources, provisions, routes, fallback, navigations } = plan;
  const all = [...routes, fallback, navigations].filter((route) => route !== undefined);
  const used = all.flatMap((route) => [...keysOf(composed(route, plan)), ...keysOfConnections(route)]);
  return new Set([...resources, ...provisions.map(({ key }) => key), ...used]);
}

const keysOfConnections = ({ webSocket }: RouteDefinition): readonly AnyKey[] =>
  axonsOf(webSocket).flatMap((axon) => [...keysOf(axon)]);

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

function resourceValues(
  keys: readonly AnyKey[],
  given: Readonly<Record<string, unknown>>,
): Map<AnyKey, unknown> {
  const missing = keys.filter((key) => given[key.name] === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    const names = Object.keys(given);
    const known = names.map((name) => ({ name, tail: name }));
    const meant = didYouMean(missing.flatMap((name) => nearest(name, name, known)));
    const had = names.length === 0 ? "" : ` (it was given ${quoted(names)}${meant && `; ${meant}`})`;
    throw new FrameworkError(
      "RESOURCE_MISSING",
      `run() was not given ${quoted(missing)}${had}: pass { name: value } for each declared resource`,
    );
  }
  return new Map(keys.map((key) => [key, given[key.name]]));
}
