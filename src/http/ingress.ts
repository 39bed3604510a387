import type { FrameworkConfig } from "#config/config.js";
import type { BusView } from "#core/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { type AnyGuard, MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/guard.js";
import type { AnyLayer, Layer } from "#core/layer.js";
import { mode } from "#core/mode.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { Recorder } from "#core/recorder.js";
import { type Reporter, reportAsWarning } from "#core/reporter.js";
import type { RoomBus } from "#core/room-bus.js";
import { pendingOf } from "#runtime/answers.js";
import { requireLayer } from "#runtime/mounted.js";
import { requireGuard } from "#runtime/required-guard.js";
import { defaultLog } from "#telemetry/log-source.js";
import { parseAddress } from "./address.js";
import { type CompressionOptions, compressionRules } from "./compression/compression-rules.js";
import { configured } from "./configured-plan.js";
import { routeOf } from "./declared-route.js";
import type { IngressPlan } from "./ingress-plan.js";
import { IngressStatic } from "./ingress-static.js";
import type {
  declared,
  FitFront,
  FrontWrites,
  Mountable,
  NoOptions,
  OnePace,
  OptionsFor,
  ProvidedTo,
  ServeArgs,
} from "./ingress-types.js";
import { namesOf, requireFunctions, requireKnown, requireLists, requireNoOthers } from "./known-options.js";
import { LIMITS, type LimitOptions, limitsOf, requireOneOf } from "./limit-options.js";
import type { Provision } from "./provided-value.js";
import { requireInteger } from "./required-integer.js";
import type { Given } from "./resources.js";
import type { AddRoute } from "./route-builder.js";
import type { RouteDefinition } from "./route-definition.js";
import { type RouteInfo, routeInfos } from "./route-info.js";
import { Router, type RouterOptions } from "./router.js";
import { run } from "./run.js";
import type { RunningServer } from "./server.js";
import { type TlsOptions, tlsPlan } from "./tls/tls-options.js";

export interface HttpOptions<Res extends readonly AnyKey[]> extends RouterOptions, LimitOptions {
  /** Keys whose values are given to `run` and live as long as the server. */
  readonly resources?: Res;
  /** Told of what no answer shows: exceptions, faults without a status. Default: lines of the log. */
  readonly reporter?: Reporter;
  /** Who may watch runs: told of each mounted circuit, and of those runs that it asks for. */
  readonly recorder?: Recorder;
  /**
   * How long a body may take to arrive, in milliseconds, up to 10 000. Default 7500: the
   * engine itself cuts a connection that brings nothing for 8 to 12 s, without an answer.
   */
  readonly bodyTimeoutMs?: number;
  /** Whether `run` handles SIGTERM, SIGINT and what nobody catches. Default true. */
  readonly processGuards?: boolean;
  /**
   * Whether a rejection that nobody awaits is reported with the id of the request that left
   * it behind. Every promise of the process is watched then, and each request has an id. Default false.
   */
  readonly traceRejections?: boolean;
  /**
   * Joins the rooms of WebSocket connections with those of other processes: `workerRooms()` for
   * the workers of one supervisor. It is the server's, which disposes of it when it has stopped.
   */
  readonly rooms?: RoomBus;
}

const OPTIONS = namesOf<HttpOptions<readonly AnyKey[]>>({
  ...LIMITS,
  trailingSlash: true,
  resources: true,
  reporter: true,
  recorder: true,
  bodyTimeoutMs: true,
  processGuards: true,
  traceRejections: true,
  rooms: true,
});

const PROVIDE_OPTIONS = namesOf<ProvideOptions<AnyKey, AnyKey>>({ reads: true, dispose: true });

export interface ProvideOptions<K extends AnyKey, Rd extends AnyKey> {
  /** Keys that `make` reads, beside resources: facts of the request, and what is provided before it. */
  readonly reads?: readonly Rd[];
  /**
   * Called when the run ends that it was made for, whatever the outcome (a value or a
   * Fault), before the answer is written; awaited, for 10 s at most. Where it fails the answer is 500.
   */
  readonly dispose?: (value: TypeOfKey<K>, outcome: unknown) => unknown;
}

/**
 * An HTTP server as it is declared: routes, and what their steps are provided
 * with. Nothing listens before `run`. Made by `Framework.http()`.
 */
export class HttpIngress<Provided extends AnyKey, Res extends AnyKey> extends IngressStatic<Provided, Res> {
  declare readonly [declared]: () => Res;
  /** @internal */
  plan: IngressPlan;
  // Finds conflicts when a route is declared, where the stack still shows the call.
  readonly #declared: Router<RouteDefinition>;

  /** @internal */
  constructor(options: HttpOptions<readonly AnyKey[]> = {}) {
    super();
    requireKnown("Framework.http()", options, OPTIONS);
    requireLists("Framework.http()", options, ["resources", "trustedProxies", "allowedHosts"]);
    requireFunctions("Framework.http()", options, ["reporter"]);
    const { bodyTimeoutMs = 7500 } = options;
    const trailingSlash = requireOneOf("trailingSlash", options.trailingSlash, ["strict", "ignore"]);
    requireInteger("bodyTimeoutMs", bodyTimeoutMs, 1, 10_000);
    this.#declared = new Router({ trailingSlash });
    this.plan = {
      production: mode.production,
      trailingSlash,
      resources: options.resources ?? [],
      routes: [],
      provisions: [],
      guards: [],
      layers: [],
      fallback: undefined,
      navigations: undefined,
      constants: [],
      staticCacheControl: undefined,
      reporter: options.reporter === undefined ? defaultLog.reporter : tamed(options.reporter),
      log: defaultLog,
      recorder: options.recorder,
      extensions: [],
      tracing: undefined,
      address: { kind: "tcp", host: "127.0.0.1", port: 3000 },
      tls: undefined,
      requestIds: false,
      compression: undefined,
      bodyLimit: 1_048_576,
      bodyTimeoutMs,
      workers: 1,
      healthChecks: [],
      hooks: [],
      shutdownTimeoutMs: 30_000,
      shutdownDelayMs: undefined,
      drainIdleMs: undefined,
      processGuards: options.processGuards ?? true,
      traceRejections: options.traceRejections ?? false,
      rooms: options.rooms,
      ...limitsOf(options),
    };
  }

  /**
   * Gives routes a value that is made for each run that needs it, once. Made at its first
   * read; where `make` answers a promise, awaited before the first step that declares the
   * key. A function that would do both, a cache for instance, is declared `async`.
   */
  provide<K extends AnyKey, R extends MaybePromise<TypeOfKey<K>>, Rd extends AnyKey = never>(
    key: K,
    make: (bus: BusView<Res | Rd>) => R & OnePace<R>,
    options: ProvideOptions<K, Rd> = {},
  ): HttpIngress<Provided | K, Res> {
    if (
      this.plan.provisions.some((provision) => provision.key === key) ||
      this.plan.resources.includes(key)
    ) {
      throw new FrameworkError("PROVIDE_INVALID", `'${key.name}' is provided already: keep one of the two`);
    }
    const where = `provide('${key.name}')`;
    requireKnown(where, options, PROVIDE_OPTIONS);
    requireLists(where, options, ["reads"]);
    requireFunctions(where, options, ["dispose"]);
    const provision = {
      key,
      make: make as (bus: BusView<AnyKey, AnyKey>) => unknown,
      reads: options.reads ?? [],
      dispose: options.dispose as Provision["dispose"],
    };
    this.plan = { ...this.plan, provisions: [...this.plan.provisions, provision] };
    return this;
  }

  /**
   * Puts a guard before every route of this ingress, whenever it is mounted, and before
   * what no route serves. A route leaves it out by name: `{ without: ["office-hours"] }`.
   */
  guard<G extends AnyGuard>(
    guard: G & FitFront<{ readonly guards: readonly G[] }, ProvidedTo<"", Provided>>,
    ...others: readonly never[]
  ): HttpIngress<Provided | FrontWrites<{ readonly guards: readonly G[] }>, Res> {
    requireNoOthers("guard()", others);
    this.plan = { ...this.plan, guards: [...this.plan.guards, requireGuard(guard, "guard()")] };
    return this;
  }

  /** Puts a layer around every route of this ingress, whenever it is mounted; the first one outermost. */
  layer<L extends AnyLayer>(
    layer: L & FitFront<{ readonly layers: readonly L[] }, ProvidedTo<"", Provided>>,
  ): HttpIngress<Provided | FrontWrites<{ readonly layers: readonly L[] }>, Res>;
  /** The same of a function, named after it. */
  layer(run: Layer["run"], ...others: readonly never[]): this;
  layer(given: AnyLayer | Layer["run"], ...others: readonly never[]): this {
    requireNoOthers("layer()", others);
    const layer = typeof given === "function" ? { name: given.name || "layer", run: given } : given;
    this.plan = { ...this.plan, layers: [...this.plan.layers, requireLayer(layer, "layer()")] };
    return this;
  }

  /** Serves the paths that no route does, whatever the method. Its answer is 404 unless it says otherwise. */
  fallback<A, O extends OptionsFor<A> = NoOptions>(
    axon: A & Mountable<A, ProvidedTo<"/*path", Provided>, O>,
    options?: O,
  ): this {
    if (this.plan.fallback !== undefined)
      throw new FrameworkError("ROUTE_INVALID", "fallback() was called twice: keep one of the two");
    this.plan = { ...this.plan, fallback: routeOf("GET", "/*path", axon, options) };
    return this;
  }

  /** What is mounted: method, path, Axon, guards, schemas. For documentation and tools. */
  routes(): readonly RouteInfo[] {
    return routeInfos(this.plan);
  }

  /** Puts an `x-request-id` on each answer: the client's own where it is well-formed, else a UUIDv7. */
  requestIdLayer(): this {
    this.plan = { ...this.plan, requestIds: true };
    return this;
  }

  /**
   * Compresses text, JSON and their like for clients that take brotli or gzip. An answer that
   * shows a secret beside what the request says should stay as it is, or its length tells of
   * the secret (BREACH): `{ compress: false }` on its route. Throws CONFIG_INVALID.
   */
  compressionLayer(options?: CompressionOptions): this {
    this.plan = { ...this.plan, compression: compressionRules(options) };
    return this;
  }

  /**
   * Takes what the configuration sets, be it in the file, in its profile or by a variable.
   * That wins over what stands before this call, and what follows wins over it; a default
   * of the configuration wins over nothing. Throws TLS_UNSUPPORTED.
   */
  config(config: FrameworkConfig): this {
    this.plan = configured(this.plan, config, (path) => this.readsElsewhere(path));
    return this;
  }

  /** @internal Whether something beside the ingress takes the key from the configuration. */
  protected readsElsewhere(path: string): boolean {
    return /^(?:logging|telemetry)\./.test(path);
  }

  /** Where to listen: `host:port`, `[v6]:port` or `unix:path`. Default 127.0.0.1:3000; port 0 takes a free one. */
  bind(address: string): this {
    this.plan = { ...this.plan, address: parseAddress(address) };
    return this;
  }

  /**
   * Serves HTTPS, by the PEM files of a certificate with its chain and of its key: TLS 1.2 and
   * 1.3, HTTP/1.1. The files are looked at every few seconds: new connections get what has
   * changed. `run` rejects with TLS_INVALID where clients would refuse what is in them.
   */
  tls(cert: string, key: string, options: TlsOptions = {}): this {
    this.plan = { ...this.plan, tls: tlsPlan(cert, key, options) };
    return this;
  }

  /** Largest request body in bytes, where a route does not say otherwise. Default 1 MiB. */
  bodyLimit(bytes: number): this {
    this.plan = { ...this.plan, bodyLimit: requireInteger("bodyLimit", bytes, 0, MAX_BODY_LIMIT) };
    return this;
  }

  /** How long a run may wait before it is answered 504, in milliseconds: the option `routeTimeoutMs`. Default 30 000. */
  timeoutLayer(ms: number): this {
    this.plan = { ...this.plan, routeTimeoutMs: requireInteger("timeoutLayer", ms, 1, MAX_ROUTE_TIMEOUT_MS) };
    return this;
  }

  /**
   * Compiles the routes and listens. Rejects with what is wrong: KEYS_UNPROVIDED,
   * RESOURCE_MISSING, SCHEMA_INVALID, LISTEN_FAILED and others of docs/errors.md. The
   * resources are the server's from here on: it disposes of them when it has stopped, and
   * where `run` rejects, the last declared first, by Symbol.asyncDispose or Symbol.dispose.
   * In the place of their values it takes a function that makes them: with several workers
   * it is called in those alone, not in the process that starts them.
   */
  run(...resources: ServeArgs<Res>): Promise<RunningServer>;
  run(resources: Given = {}): Promise<RunningServer> {
    return run(this.plan, resources);
  }

  /** @internal */
  protected override readonly addRoute: AddRoute = (method, path, axon, options, groups) => {
    this.#add(routeOf(method, path, axon, options, groups));
  };

  /** @internal */
  protected override addProbe(path: string, axon: unknown): void {
    this.#add({ ...routeOf("GET", path, axon), isProbe: true });
  }

  #add(route: RouteDefinition): void {
    this.#declared.add(route);
    this.plan = { ...this.plan, routes: [...this.plan.routes, route] };
  }
}

/** Makes an ingress: `Framework.http({ resources: [Db] })`. */
export function http<const Res extends readonly AnyKey[] = []>(
  options: HttpOptions<Res> = {},
): HttpIngress<Res[number], Res[number]> {
  return new HttpIngress(options);
}

/**
 * A reporter that throws must not end the process: the failure it was told of has been
 * answered. One that rejects would be told of its own rejection, and reject again, for ever.
 */
function tamed(reporter: Reporter): Reporter {
  return (report) => {
    const failed = (error: unknown): void =>
      reportAsWarning({ ...report, message: `The reporter threw. It was told: ${report.message}`, error });
    try {
      // An async function is a Reporter to the compiler.
      pendingOf(reporter(report))?.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
