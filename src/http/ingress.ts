import type { BusView } from "#core/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { mode } from "#core/mode.js";
import type { Recorder } from "#core/recorder.js";
import { type Reporter, reportAsWarning } from "#core/reporter.js";
import { methods } from "#core/route-row.js";
import { pendingOf } from "#runtime/answers.js";
import type { AnyAxon, InOf } from "#runtime/axon-types.js";
import { requireSound } from "#runtime/soundness.js";
import { logReports } from "#telemetry/log-reports.js";
import { parseAddress } from "./address.js";
import type { IngressPlan } from "./ingress-plan.js";
import type {
  declared,
  Mountable,
  MountableTable,
  NoOptions,
  PathOf,
  Prefix,
  ProvidedTo,
  RouteOptions,
  RunArgs,
} from "./ingress-types.js";
import { parsePattern } from "./pattern.js";
import type { RouteDefinition } from "./route-definition.js";
import { mountTable } from "./route-table.js";
import { Router, type RouterOptions } from "./router.js";
import { type RunningServer, start } from "./server.js";

export interface HttpOptions<Res extends readonly AnyKey[]> extends RouterOptions {
  /** Keys whose values are given to `run` and live as long as the server. */
  readonly resources?: Res;
  /** Told of what no answer shows: exceptions, faults without a status. Default: JSON lines on stderr. */
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
}

export interface ProvideOptions<Rd extends AnyKey> {
  /** Keys that `make` reads, beside resources: facts of the request, and what is provided before it. */
  readonly reads?: readonly Rd[];
}

const METHODS: ReadonlySet<string> = new Set(methods);

/**
 * An HTTP server as it is declared: routes, and what their steps are provided
 * with. Nothing listens before `run`. Made by `Framework.http()`.
 */
export class HttpIngress<Provided extends AnyKey, Res extends AnyKey> {
  declare readonly [declared]: () => Res;
  /** @internal */
  plan: IngressPlan;
  // Finds conflicts when a route is declared, where the stack still shows the call.
  readonly #declared: Router<RouteDefinition>;

  /** @internal */
  constructor(options: HttpOptions<readonly AnyKey[]> = {}) {
    const { bodyTimeoutMs = 7500, trailingSlash = "strict" } = options;
    requireInteger("bodyTimeoutMs", bodyTimeoutMs, 1, 10_000);
    this.#declared = new Router({ trailingSlash });
    this.plan = {
      production: mode.production,
      trailingSlash,
      resources: options.resources ?? [],
      routes: [],
      provisions: [],
      reporter: tamed(options.reporter ?? logReports),
      recorder: options.recorder,
      address: { kind: "tcp", host: "127.0.0.1", port: 3000 },
      requestIds: false,
      bodyLimit: 1_048_576,
      bodyTimeoutMs,
      shutdownTimeoutMs: 30_000,
      processGuards: options.processGuards ?? true,
    };
  }

  /**
   * Gives routes a value that is made once for each run that comes to a step that
   * declares the key, before that step. Where `make` answers a promise it is awaited.
   * It is not put off until the step reads it: a read cannot wait, and a function may
   * answer at once today and a promise tomorrow.
   */
  provide<K extends AnyKey, Rd extends AnyKey = never>(
    key: K,
    make: (bus: BusView<Res | Rd>) => TypeOfKey<K> | Promise<TypeOfKey<K>>,
    options: ProvideOptions<Rd> = {},
  ): HttpIngress<Provided | K, Res> {
    if (
      this.plan.provisions.some((provision) => provision.key === key) ||
      this.plan.resources.includes(key)
    ) {
      throw new FrameworkError("PROVIDE_INVALID", `'${key.name}' is provided already: keep one of the two`);
    }
    const provision = {
      key,
      make: make as (bus: BusView<AnyKey, AnyKey>) => unknown,
      reads: options.reads ?? [],
    };
    this.plan = { ...this.plan, provisions: [...this.plan.provisions, provision] };
    return this;
  }

  get<const P extends string, A, O extends RouteOptions<InOf<A>> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<P, Provided>, O>,
    options?: O,
  ): this {
    return this.#mount("GET", path, axon, options);
  }

  head<const P extends string, A, O extends RouteOptions<InOf<A>> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<P, Provided>, O>,
    options?: O,
  ): this {
    return this.#mount("HEAD", path, axon, options);
  }

  post<const P extends string, A, O extends RouteOptions<InOf<A>> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<P, Provided>, O>,
    options?: O,
  ): this {
    return this.#mount("POST", path, axon, options);
  }

  put<const P extends string, A, O extends RouteOptions<InOf<A>> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<P, Provided>, O>,
    options?: O,
  ): this {
    return this.#mount("PUT", path, axon, options);
  }

  patch<const P extends string, A, O extends RouteOptions<InOf<A>> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<P, Provided>, O>,
    options?: O,
  ): this {
    return this.#mount("PATCH", path, axon, options);
  }

  delete<const P extends string, A, O extends RouteOptions<InOf<A>> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<P, Provided>, O>,
    options?: O,
  ): this {
    return this.#mount("DELETE", path, axon, options);
  }

  options<const P extends string, A, O extends RouteOptions<InOf<A>> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<P, Provided>, O>,
    options?: O,
  ): this {
    return this.#mount("OPTIONS", path, axon, options);
  }

  /** Mounts an Axon under GET, or under the method written in front: `"POST /orders"`. */
  route<const P extends string, A, O extends RouteOptions<InOf<A>> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<PathOf<P>, Provided>, O>,
    options?: O,
  ): this {
    const [, method = "GET", text = path] = /^(\S+) +(\S.*)$/.exec(path) ?? [];
    return this.#mount(method, text, axon, options);
  }

  /**
   * Mounts the rows of a table, such as `routes` makes, each path behind the prefix:
   * `mount(api, "/v1")`. The row of the path `/` stands at the prefix itself.
   */
  mount<const T extends object, const P extends Prefix = "">(
    table: T & MountableTable<T, P, Provided>,
    prefix?: P,
  ): this {
    mountTable(table, prefix ?? "", (...row) => this.#mount(...row));
    return this;
  }

  /** Puts an `x-request-id` on each answer: the client's own where it is well-formed, else a UUIDv7. */
  requestIdLayer(): this {
    this.plan = { ...this.plan, requestIds: true };
    return this;
  }

  /** Where to listen: `host:port`, `[v6]:port` or `unix:path`. Default 127.0.0.1:3000; port 0 takes a free one. */
  bind(address: string): this {
    this.plan = { ...this.plan, address: parseAddress(address) };
    return this;
  }

  /** Largest request body in bytes, where a route does not say otherwise. Default 1 MiB. */
  bodyLimit(bytes: number): this {
    this.plan = { ...this.plan, bodyLimit: requireInteger("bodyLimit", bytes, 0, Number.MAX_SAFE_INTEGER) };
    return this;
  }

  /** How long stopping may take in milliseconds, before runs are cut. Default 30 000. */
  gracefulShutdown(ms: number): this {
    this.plan = { ...this.plan, shutdownTimeoutMs: requireInteger("gracefulShutdown", ms, 0, 2_147_483_647) };
    return this;
  }

  /**
   * Compiles the routes and listens. Rejects with what is wrong: KEYS_UNPROVIDED,
   * RESOURCE_MISSING, SCHEMA_INVALID, LISTEN_FAILED and others of docs/errors.md.
   */
  run(...resources: RunArgs<Res>): Promise<RunningServer>;
  run(resources: Readonly<Record<string, unknown>> = {}): Promise<RunningServer> {
    return start(this.plan, resources);
  }

  #mount(method: string, path: string, mounted: unknown, options: RouteOptions<unknown> = {}): this {
    const axon = mounted as AnyAxon;
    if (!METHODS.has(method)) {
      throw new FrameworkError(
        "ROUTE_INVALID",
        `Method '${method}' of '${path}' is not served: use one of ${[...METHODS].join(", ")}`,
      );
    }
    if ((axon as Partial<AnyAxon> | undefined)?.definition === undefined) {
      throw new FrameworkError(
        "ROUTE_INVALID",
        `${method} ${path} was given no Axon: mount one, as in Axon.start("hello").thenFn("greet", () => "hello")`,
      );
    }
    const { bodyLimit } = options;
    if (bodyLimit !== undefined)
      requireInteger(`bodyLimit of ${method} ${path}`, bodyLimit, 0, Number.MAX_SAFE_INTEGER);
    requireSound(axon.definition);
    const route = {
      method,
      pattern: parsePattern(path),
      axon: axon.definition,
      input: options.input?.part,
      bodyLimit,
    };
    this.#declared.add(route);
    this.plan = { ...this.plan, routes: [...this.plan.routes, route] };
    return this;
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

function requireInteger(name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new FrameworkError("CONFIG_INVALID", `${name} is ${value}: use a whole number from ${min} to ${max}`);
}
