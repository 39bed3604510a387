import { MemoryAuditSink } from "#audit/sinks/memory-audit-sink.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import { MAX_TIMER_MS } from "#core/clock.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { capturedLog } from "#telemetry/logging/log-source.js";
import { InFlight } from "../exchange/in-flight.js";
import type { PieceTaker } from "../exchange/memory/memory-response.js";
import { withLog } from "../ingress/configured-plan.js";
import type { HttpIngress } from "../ingress/ingress.js";
import type { NativeUpgrade } from "../native/port.js";
import type { ExtensionHost } from "../plan/extension.js";
import type { IngressPlan, Phase } from "../plan/ingress-plan.js";
import type { TestAppOptions, TestArgs } from "../plan/ingress-types.js";
import { until, within } from "../refusal/timeout.js";
import { type Extensions, extensionsFor, loadExtensions } from "../serving/extension.js";
import { extensionHost } from "../serving/extension-host.js";
import { keptRunsOf } from "../serving/kept-runs.js";
import { Lifecycle } from "../serving/lifecycle.js";
import { withStores } from "../serving/mounted-stores.js";
import { type ServedIngress, servedIngress } from "../serving/served-ingress.js";
import { CookieJar } from "./cookie-jar.js";
import { MemoryExchange } from "./memory-exchange.js";
import { MemorySockets } from "./memory-web-socket.js";
import { TestClient } from "./test-client.js";
import { noEvents, TestEvents } from "./test-events.js";
import { peerOf, type SentRequest, sentRequest, type TestRequest } from "./test-request.js";
import type { TestResponse } from "./test-response.js";
import { HandshakeRefused, type TestHandshake, type TestSocket } from "./test-socket.js";
import { TestStream } from "./test-stream.js";

/** Time for hooks and resources, beyond the shutdown limit. */
const CLOSING_MS = 2000;

/** The stores with runs and audit log in memory, so that only steps access a database. It joins no channels. */
function inMemory(stores: StoreSet | undefined): StoreSet | undefined {
  if (stores === undefined || stores.runs.perProcess !== undefined) return stores;
  const nothing = async (): Promise<void> => {};
  const { channels: _, ...others } = stores;
  return {
    ...others,
    runs: new MemoryRuns(),
    audit: new MemoryAuditSink(),
    sweep: nothing,
    open: nothing,
    check: nothing,
    close: nothing,
  };
}

function logging(plan: IngressPlan, options: TestAppOptions): IngressPlan {
  requireKnownOptions("TestApp", options, ["log"]);
  const { log } = options;
  if (log === undefined) return plan;
  if (log !== "silent" && !Array.isArray(log))
    throw invalidOption("TestApp", 'log is neither "silent" nor an array to add lines to');
  return withLog(
    plan,
    capturedLog((line) => log !== "silent" && log.push(line)),
  );
}

/** Replaces the address that `run` listens on. */
const ADDRESS = "test.local:80";

/**
 * An ingress in a test: the same code as in production up to the native server, without a port.
 *
 *     await using app = new TestApp(ingress, { Db: fake }, { log: "silent" });
 *     const response = await app.post("/orders", { json: order });
 */
export class TestApp<Res extends AnyKey> extends TestClient implements AsyncDisposable {
  readonly #plan: IngressPlan;
  readonly #resources: Readonly<Record<string, unknown>>;
  readonly #lifecycle: Lifecycle;
  readonly #inFlight: InFlight;
  /** Exchanges without a response yet. */
  readonly #open = new Set<MemoryExchange>();
  /** Undefined until the code of the extensions is loaded. */
  #assembled: Assembled | undefined;
  /** Number of requests in flight and WebSocket connections. */
  #holders = 0;
  #beginning: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Throws the errors with which `run` rejects, except for those of the address and of hooks. With an
   * Inspector whose code is not loaded yet, the first request rejects with them.
   */
  // biome-ignore lint/suspicious/noExplicitAny: accepts an ingress with any provided keys
  constructor(ingress: HttpIngress<any, Res>, ...[resources = {}, options = {}]: TestArgs<Res>) {
    super();
    const plan = logging(ingress.plan, options);
    const stored = withStores(plan, inMemory(plan.stores));
    // A host that has no lease, so it takes over no runs. It wakes those that wait.
    this.#plan = { ...stored, kept: keptRunsOf(stored, () => "ready") };
    this.#inFlight = new InFlight(this.#plan);
    this.#lifecycle = new Lifecycle(this.#plan);
    this.#lifecycle.own(resources);
    this.#resources = resources;
    if (loadExtensions(this.#plan) === undefined) this.#assembled = this.#assemble();
  }

  #assemble(): Assembled {
    // Requests wait for the hooks.
    const phase = (): Phase => (this.#lifecycle.isStopping ? "draining" : "ready");
    const extensions = extensionsFor(this.#plan);
    const served = servedIngress(this.#plan, this.#resources, this.#inFlight, phase, extensions);
    const sockets = new MemorySockets(served, {
      opened: () => this.#hold(),
      ended: () => this.#letGo(),
    });
    this.#plan.kept?.host.beginWaking();
    return { extensions, served, sockets };
  }

  get #served(): ServedIngress {
    return (this.#assembled as Assembled).served;
  }

  /**
   * Runs the hooks of onStart and onReady, and starts extensions, once. The first request calls it
   * too. Rejects with START_FAILED, after undoing the started parts.
   */
  start(): Promise<void> {
    this.#beginning ??= this.#begin();
    return this.#beginning;
  }

  override async send(method: string, target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.#send(method, target, request, undefined);
  }

  /** Connects to a WebSocket route. Rejects with HandshakeRefused, which holds the response. */
  async ws(target: string, handshake: TestHandshake = {}): Promise<TestSocket> {
    if (this.#assembled === undefined) await this.start();
    const opening = (this.#assembled as unknown as Assembled).sockets.open(target, handshake);
    const { request, upgrade } = opening;
    const response = await this.#send("GET", target, request, undefined, upgrade);
    if (opening.socket === undefined) throw new HandshakeRefused(target, response);
    return opening.socket;
  }

  /** Sends a request. Resolves at the first piece of the response, which is read as a stream. Rejects like `send`. */
  async stream(target: string, request: TestRequest = {}, method = "GET"): Promise<TestStream> {
    const stream = new TestStream();
    const answer = this.#send(method, target, request, undefined, stream);
    answer.then(
      () => stream.end(),
      (error: unknown) => stream.end(error),
    );
    await Promise.race([stream.begun, answer]);
    if (stream.status === 0) await answer;
    return stream;
  }

  /** A client with a separate cookie jar. */
  session(): TestClient {
    const jar = new CookieJar();
    return new TestSession(
      (method, target, request = {}) => this.#send(method, target, request, jar),
      (target, request = {}) => this.#listen(target, request, jar),
    );
  }

  override sse(target: string, request: TestRequest = {}): Promise<TestEvents> {
    return this.#listen(target, request, undefined);
  }

  /** Stops like a server: ends streams, waits for requests, runs onShutdown and disposes of resources. `await using` calls it. */
  close(): Promise<void> {
    this.#closing ??= this.#end(this.#beginning);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #send(
    method: string,
    target: string,
    request: TestRequest,
    jar: CookieJar | undefined,
    as: NativeUpgrade | PieceTaker | null = null,
  ): Promise<TestResponse> {
    const { signal } = request;
    signal?.throwIfAborted();
    // Without hooks nothing is awaited, so that concurrent requests start in order.
    if (this.#plan.hooks.length + this.#plan.extensions.length > 0) await this.start();
    const made = sentRequest(target, request, jar?.pairsFor(target) ?? []);
    const sent = made instanceof Promise ? await made : made;
    if (this.#closing !== undefined) throw new Error(`${method} ${target}: the TestApp is closed`);
    signal?.throwIfAborted();
    const response = await this.#exchange(method, sent, request, as);
    jar?.keep(target, response.setCookies);
    return response;
  }

  async #listen(target: string, request: TestRequest, jar: CookieJar | undefined): Promise<TestEvents> {
    const headers = { accept: "text/event-stream", ...request.headers };
    const events = new TestEvents();
    const answer = this.#send("GET", target, { ...request, headers }, jar, events);
    answer.then(
      () => events.finish("whole"),
      () => events.finish("cut"),
    );
    await Promise.race([events.begun, answer]);
    if (!events.isStream) throw noEvents(target, await answer);
    return events;
  }

  async #exchange(
    method: string,
    sent: SentRequest,
    request: TestRequest,
    as: NativeUpgrade | PieceTaker | null,
  ): Promise<TestResponse> {
    const { routeTimeoutMs, bodyTimeoutMs } = this.#plan;
    const { signal } = request;
    const [upgrade, reader] = as !== null && "take" in as ? [null, as] : [as, undefined];
    const exchange = new MemoryExchange(
      this.#served.dispatcher,
      method,
      sent,
      peerOf(request),
      upgrade,
      reader,
    );
    const leave = (): void => exchange.leave(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    // Time-outs run only while a request is open, so that a TestApp that is not closed leaves no timer.
    this.#hold();
    this.#open.add(exchange);
    // The time-outs' timer is unref'd, and no socket keeps the process alive.
    const alive = setTimeout(() => {}, Math.min(routeTimeoutMs + bodyTimeoutMs + 1000, MAX_TIMER_MS));
    try {
      return await exchange.answer;
    } finally {
      clearTimeout(alive);
      signal?.removeEventListener("abort", leave);
      this.#open.delete(exchange);
      this.#letGo();
    }
  }

  #hold(): void {
    if (this.#holders === 0) this.#served.deadlines.start();
    this.#holders += 1;
  }

  #letGo(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#served.deadlines.stop();
  }

  async #begin(): Promise<void> {
    try {
      await loadExtensions(this.#plan);
      this.#assembled ??= this.#assemble();
      const { extensions } = this.#assembled;
      await this.#lifecycle.start();
      await this.#lifecycle.extend(extensions.all, () => this.#host());
      await this.#lifecycle.tellListening(`http://${ADDRESS}`);
      await this.#lifecycle.announce(ADDRESS);
    } catch (error) {
      this.#closing ??= this.#end(undefined);
      await this.#closing;
      throw error;
    }
  }

  #host(): ExtensionHost {
    const host = extensionHost({
      plan: this.#plan,
      served: this.#served,
      inFlight: this.#inFlight,
      connections: () => 0,
      worker: undefined,
    });
    const send: ExtensionHost["send"] = async (request) => {
      this.#hold();
      try {
        return await host.send(request);
      } finally {
        this.#letGo();
      }
    };
    return { ...host, send, inMemory: true };
  }

  async #end(beginning: Promise<void> | undefined): Promise<void> {
    const endsAt = performance.now() + this.#plan.shutdownTimeoutMs;
    await this.#lifecycle.withdraw(endsAt);
    await within(endsAt, beginning);
    this.#inFlight.endsConnections = true;
    await this.#plan.kept?.host.endWaking();
    if (this.#assembled !== undefined) await this.#drain(this.#assembled.served, endsAt);
    await this.#lifecycle.end(Math.max(endsAt, performance.now() + CLOSING_MS));
  }

  async #drain({ routes, webSockets, events }: ServedIngress, endsAt: number): Promise<void> {
    webSockets.close(1001, "The server stops");
    events.close();
    const isIdle = (): boolean => this.#inFlight.count === 0 && routes.running === 0;
    const isAnswered = await until(isIdle, endsAt);
    if (isAnswered) await webSockets.over(endsAt);
    const isDrained = isAnswered && (await until(isIdle, endsAt));
    if (!isDrained)
      routes.reportCut(
        this.#inFlight.count,
        this.#plan.kept?.host.running ?? 0,
        this.#plan.shutdownTimeoutMs,
      );
    for (const exchange of this.#open) exchange.leave();
    await within(Math.max(endsAt, performance.now() + CLOSING_MS), webSockets.rooms.end());
  }
}

interface Assembled {
  readonly extensions: Extensions;
  readonly served: ServedIngress;
  readonly sockets: MemorySockets;
}

class TestSession extends TestClient {
  readonly #send: TestApp<never>["send"];
  readonly #listen: TestApp<never>["sse"];

  constructor(send: TestApp<never>["send"], listen: TestApp<never>["sse"]) {
    super();
    this.#send = send;
    this.#listen = listen;
  }

  override send(method: string, target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.#send(method, target, request);
  }

  override sse(target: string, request: TestRequest = {}): Promise<TestEvents> {
    return this.#listen(target, request);
  }
}
