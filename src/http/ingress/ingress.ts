import type { FrameworkConfig } from "#config/config.js";
import type { BusView } from "#core/bus/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus/bus-key.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type Reporter, reportAsWarning } from "#core/bus/reporter.js";
import { FrameworkError } from "#core/errors.js";
import { type AnyGuard, MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import type { AnyLayer, Layer } from "#core/flow/layer.js";
import { mode } from "#core/mode.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import type { Recorder } from "#core/timeline/recorder.js";
import { requireGuard, requireLayer } from "#runtime/definition/mounted.js";
import type { SchematicOptions } from "#runtime/draw/schematic-of.js";
import { pendingOf } from "#runtime/run/answers.js";
import { defaultLog } from "#telemetry/logging/log-source.js";
import { routeInfos } from "../description/route-infos.js";
import { type CompressionOptions, compressionRules } from "../plan/compression-rules.js";
import { routeOf } from "../plan/declared-route.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
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
} from "../plan/ingress-types.js";
import { LIMITS, type LimitOptions, limitsOf, requireOneOf } from "../plan/limit-options.js";
import type { Provision } from "../plan/provision.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import type { RouteInfo } from "../plan/route-info.js";
import { parseAddress } from "../refusal/address.js";
import {
  optionNames,
  requireFunctions,
  requireInteger,
  requireKnown,
  requireLists,
  requireNoOthers,
  routeInvalid,
} from "../refusal/option-checks.js";
import { Router, type RouterOptions } from "../routing/router.js";
import type { Given } from "../serving/lifecycle.js";
import { run } from "../serving/run.js";
import type { RunningServer } from "../serving/server.js";
import { type TlsOptions, tlsPlan } from "../tls/tls-options.js";
import { configured } from "./configured-plan.js";
import { IngressBase } from "./ingress-base.js";
import type { AddRoute } from "./route-builder.js";

export interface HttpOptions<Res extends readonly AnyKey[]> extends RouterOptions, LimitOptions {
  /** Keys whose values are given to `run` and live as long as the server. */
  readonly resources?: Res;
  /** Gets errors that no response shows: exceptions, faults without a status. Default: log lines. */
  readonly reporter?: Reporter;
  /** Records runs. */
  readonly recorder?: Recorder;
  /**
   * Time-out for receiving a body in milliseconds, up to 10 000. Default 7500: the engine cuts a
   * silent connection after 8 to 12 s, without a response.
   */
  readonly bodyTimeoutMs?: number;
  /** `run` handles SIGTERM, SIGINT and uncaught errors. Default true. */
  readonly processGuards?: boolean;
  /**
   * Reports unhandled rejections with the id of their request. Every promise of the process is
   * tracked then, and each request has an id. Default false.
   */
  readonly traceRejections?: boolean;
  /**
   * Joins the rooms of WebSocket connections with those of other processes: `workerRooms()` for
   * the workers of one supervisor. Disposed of when the server has stopped.
   */
  readonly rooms?: RoomBus;
}

const OPTIONS = optionNames<HttpOptions<readonly AnyKey[]>>()(
  ...LIMITS,
  "trailingSlash resources reporter recorder bodyTimeoutMs",
  "processGuards traceRejections rooms",
);

const PROVIDE_OPTIONS = optionNames<ProvideOptions<AnyKey, AnyKey>>()("reads dispose");

export interface ProvideOptions<K extends AnyKey, Rd extends AnyKey> {
  /** Keys that `make` reads beside resources: facts of the request, and other provided values. */
  readonly reads?: readonly Rd[];
  /**
   * Called at the end of the run, with its outcome (a value or a Fault), before the response is
   * written. It is awaited for 10 s at most. If it fails, the response is 500.
   */
  readonly dispose?: (value: TypeOfKey<K>, outcome: unknown) => unknown;
}

/** A declared HTTP server: nothing listens before `run`. Made by `Framework.http()`. */
export class HttpIngress<Provided extends AnyKey, Res extends AnyKey> extends IngressBase<Provided, Res> {
  declare readonly [declared]: () => Res;
  /** @internal */
  plan: IngressPlan;
  // Detects conflicts at the declaration, so that the stack shows the call.
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
      stores: undefined,
      channels: [],
      audit: undefined,
      pool: undefined,
      hosting: {},
      kept: undefined,
      runStatus: undefined,
      openSignals: [],
      ...limitsOf(options),
    };
  }

  /**
   * Provides a value that is made once per run that needs it, at its first read. If `make` returns a
   * promise, it is awaited before the first step that declares the key. A function that would
   * sometimes return a promise, such as a cache, must be `async`.
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
    return this.with({ provisions: [...this.plan.provisions, provision] });
  }

  /**
   * Adds a guard to every route of this ingress, also to earlier ones, and to requests without a route.
   * A route leaves it out by name: `{ without: ["office-hours"] }`.
   */
  guard<G extends AnyGuard>(
    guard: G & FitFront<{ readonly guards: readonly G[] }, ProvidedTo<"", Provided>>,
    ...others: readonly never[]
  ): HttpIngress<Provided | FrontWrites<{ readonly guards: readonly G[] }>, Res> {
    requireNoOthers("guard()", others);
    return this.with({ guards: [...this.plan.guards, requireGuard(guard, "guard()")] });
  }

  /** Adds a layer around every route of this ingress, also around earlier ones. The first layer is the outermost. */
  layer<L extends AnyLayer>(
    layer: L & FitFront<{ readonly layers: readonly L[] }, ProvidedTo<"", Provided>>,
  ): HttpIngress<Provided | FrontWrites<{ readonly layers: readonly L[] }>, Res>;
  /** A function is a layer with its name. */
  layer(run: Layer["run"], ...others: readonly never[]): this;
  layer(given: AnyLayer | Layer["run"], ...others: readonly never[]): this {
    requireNoOthers("layer()", others);
    const layer = typeof given === "function" ? { name: given.name || "layer", run: given } : given;
    return this.with({ layers: [...this.plan.layers, requireLayer(layer, "layer()")] });
  }

  /** Serves requests without a route, of any method. The status is 404 unless the Axon sets one. */
  fallback<A, O extends OptionsFor<A> = NoOptions>(
    axon: A & Mountable<A, ProvidedTo<"/*path", Provided>, O>,
    options?: O,
  ): this {
    if (this.plan.fallback !== undefined)
      throw routeInvalid("fallback() was called twice: keep one of the two");
    return this.with({ fallback: routeOf("GET", "/*path", axon, options) });
  }

  /** The mounted routes as data, for documentation and tools. */
  routes(options?: SchematicOptions): readonly RouteInfo[] {
    return routeInfos(this.plan, options);
  }

  /** Adds an `x-request-id` to each response: the client's id if it is well-formed, else a UUIDv7. */
  requestIdLayer(): this {
    return this.with({ requestIds: true });
  }

  /**
   * Compresses text, JSON and similar for clients that accept brotli or gzip. If a response has a
   * secret beside data of the request, its length reveals the secret (BREACH): use
   * `{ compress: false }` on its route. Throws CONFIG_INVALID.
   */
  compressionLayer(options?: CompressionOptions): this {
    return this.with({ compression: compressionRules(options) });
  }

  /**
   * Applies the values of the configuration (file, profile or variable), but not its defaults. They
   * override earlier calls, and later calls override them. Throws TLS_UNSUPPORTED.
   */
  config(config: FrameworkConfig): this {
    this.plan = configured(this.plan, config, (path) => this.readsElsewhere(path));
    return this;
  }

  /** @internal True if another part reads the key. */
  protected readsElsewhere(path: string): boolean {
    return /^(?:logging|telemetry)\./.test(path);
  }

  /** Address to listen on: `host:port`, `[v6]:port` or `unix:path`. Default 127.0.0.1:3000. Port 0 selects a free port. */
  bind(address: string): this {
    return this.with({ address: parseAddress(address) });
  }

  /**
   * Serves HTTPS (TLS 1.2 and 1.3, HTTP/1.1) with PEM files of the certificate chain and the key.
   * New connections use changed files after a few seconds. `run` rejects with
   * TLS_INVALID for files that clients would refuse.
   */
  tls(cert: string, key: string, options: TlsOptions = {}): this {
    return this.with({ tls: tlsPlan(cert, key, options) });
  }

  /** Largest request body in bytes, by default for all routes. Default 1 MiB. */
  bodyLimit(bytes: number): this {
    return this.with({ bodyLimit: requireInteger("bodyLimit", bytes, 0, MAX_BODY_LIMIT) });
  }

  /** Milliseconds until a run is aborted and 504 is sent: the option `routeTimeoutMs`. Default 30 000. */
  timeoutLayer(ms: number): this {
    return this.with({ routeTimeoutMs: requireInteger("timeoutLayer", ms, 1, MAX_ROUTE_TIMEOUT_MS) });
  }

  /**
   * Compiles the routes and listens. Rejects with KEYS_UNPROVIDED, RESOURCE_MISSING,
   * SCHEMA_INVALID, LISTEN_FAILED and other codes of docs/errors.md. The server disposes of the
   * resources after it has stopped, and if `run` rejects, in reverse order of declaration, by
   * Symbol.asyncDispose or Symbol.dispose. A function that makes the resources is called in serving
   * processes, not in the supervisor of workers.
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
    const { method, pattern, operationId } = route;
    const other = this.plan.routes.find(
      (one) => operationId !== undefined && one.operationId === operationId,
    );
    if (other !== undefined)
      throw routeInvalid(
        `${method} ${pattern.text} has the operationId '${operationId}' of ${other.method} ${other.pattern.text}: give it another`,
      );
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

/** A reporter that throws must not exit the process. A reporter that rejects would get its own rejection, endlessly. */
function tamed(reporter: Reporter): Reporter {
  return (report) => {
    const failed = (error: unknown): void =>
      reportAsWarning({ ...report, message: `The reporter threw. It was told: ${report.message}`, error });
    try {
      // The compiler accepts an async function as a Reporter.
      pendingOf(reporter(report))?.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
