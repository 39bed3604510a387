import type { AnyKey } from "#core/bus/bus-key.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import { requireAuditSink } from "#core/ports/audit-use.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { assertHeaderValue } from "#core/wire/header-syntax.js";
import { DEFAULT_HOSTING, type RunHostOptions } from "#runtime/hosting/run-host.js";
import type { HealthCheckOptions } from "../plan/health-check.js";
import type { Hook, IngressPlan } from "../plan/ingress-plan.js";
import type {
  FitFront,
  FitOptions,
  Prefix,
  ProvidedTo,
  ResourceValues,
  RouteOptions,
} from "../plan/ingress-types.js";
import { configInvalid, routeInvalid } from "../refusal/invalid.js";
import { optionNames, requireKnown } from "../refusal/known-options.js";
import { requireInteger } from "../refusal/required-integer.js";
import { healthProbe, livenessProbe, readinessProbe } from "../serving/health.js";
import { runStatus } from "../serving/run-status.js";
import type { ServeDirOptions } from "../static/folder-options.js";
import { declaredFallback, declaredFolder, type SpaFallbackOptions } from "../static/static-plan.js";
import { RouteBuilder } from "./route-builder.js";

/** The longest time of a timer. */
const MAX_MS = 2_147_483_647;

const CHECK_OPTIONS = optionNames<HealthCheckOptions>()("critical timeoutMs cacheMs");

/** The front of the route that serves the status of runs. */
export type RunStatusOptions = Pick<RouteOptions<void>, "guards" | "layers" | "without" | "iam">;

const HOSTING = optionNames<RunHostOptions>()("leaseMs maxTaken maxResumptions");

/** What an ingress declares of files, probes, hooks and stopping. A part of HttpIngress. */
export abstract class IngressBase<Provided extends AnyKey, Res extends AnyKey> extends RouteBuilder<
  Provided,
  ""
> {
  /** @internal */
  abstract plan: IngressPlan;

  /**
   * Runs before the server listens, in the order of declaration; promises are awaited. A returned
   * function undoes it after the last request. Where it fails, `run` rejects with START_FAILED,
   * and the hooks before it are undone.
   */
  onStart(start: (resources: ResourceValues<Res>) => unknown): this {
    return this.#hook({ kind: "onStart", run: start });
  }

  /**
   * Runs once the server listens, before `/ready` is 200: for what needs the address, or warms
   * up. A returned function undoes it as soon as the server is to stop. Where it fails, the
   * server stops and `run` rejects with START_FAILED.
   */
  onReady(ready: (resources: ResourceValues<Res>, address: string) => unknown): this {
    return this.#hook({ kind: "onReady", run: ready });
  }

  /**
   * Runs after the last request, in reverse order of declaration, before resources are disposed
   * of. A failure is reported as SHUTDOWN_FAILED, and the others still run.
   */
  onShutdown(shutdown: (resources: ResourceValues<Res>) => unknown): this {
    return this.#hook({ kind: "onShutdown", run: shutdown });
  }

  /**
   * Shows the health of the service, with a row for each check: 200 for `ok` and for `degraded`
   * (only non-critical checks failed), else 503. No guard or layer of the ingress is before it.
   */
  healthEndpoint(path: string): this {
    return this.#probe(path, healthProbe);
  }

  /**
   * A check of a dependency, run when a probe asks. It fails where it throws, rejects, answers
   * `false` or a fault, or takes longer than `timeoutMs`, when its signal fires. Readiness
   * includes critical ones. Throws CONFIG_INVALID.
   */
  healthCheck(
    name: string,
    check: (resources: ResourceValues<Res>, signal: AbortSignal) => unknown,
    options: HealthCheckOptions = {},
  ): this {
    requireKnown(`healthCheck('${name}')`, options, CHECK_OPTIONS);
    const { critical = true, timeoutMs = 2000, cacheMs = 1000 } = options;
    const { healthChecks } = this.plan;
    if (name === "" || healthChecks.some((known) => known.name === name))
      throw configInvalid(`healthCheck('${name}'): give each check a name of its own`);
    requireInteger(`timeoutMs of the health check '${name}'`, timeoutMs, 1, MAX_MS);
    requireInteger(`cacheMs of the health check '${name}'`, cacheMs, 0, MAX_MS);
    const added = { name, run: check, critical, timeoutMs, cacheMs };
    return this.with({ healthChecks: [...healthChecks, added] });
  }

  /** Answers at `/ready` and `/live`: see {@link readinessLiveness}. */
  readinessLivenessDefault(): this {
    return this.readinessLiveness("/ready", "/live");
  }

  /**
   * The first path is 200 while the server has begun, is not to stop and its critical checks pass,
   * else 503; the second is 200 as long as the event loop turns.
   */
  readinessLiveness(readiness: string, liveness: string): this {
    return this.#probe(readiness, readinessProbe).#probe(liveness, livenessProbe);
  }

  /**
   * The stores of one database: `stores(openStores("sqlite:.framework/app.db"))`. Opened by `run`
   * before circuits are compiled, a part of `/ready`, closed last. Axons that are kept with
   * `withPersistenceStore(Stores.mounted)` keep their runs in it. `hosting` says how this process
   * takes over runs that others have left.
   */
  stores(stores: StoreSet, hosting: RunHostOptions = {}): this {
    if (typeof (stores as Partial<StoreSet> | undefined)?.open !== "function")
      throw configInvalid("stores() takes what openStores() returns");
    if (this.plan.stores !== undefined) throw configInvalid("stores() was called twice: keep one of the two");
    requireKnown("stores()", hosting, HOSTING);
    const { leaseMs, maxTaken, maxResumptions } = { ...DEFAULT_HOSTING, ...hosting };
    requireInteger("leaseMs of stores()", leaseMs, 100, MAX_MS);
    requireInteger("maxTaken of stores()", maxTaken, 1, 10_000);
    requireInteger("maxResumptions of stores()", maxResumptions, 1, 1000);
    return this.with({ stores, hosting });
  }

  /**
   * The audit log of this ingress, for instance `signedAudit(stores.audit, { key })`. Default: that
   * of its stores. Audited steps and interventions are recorded in it unless their Axon has another,
   * and so is what operators do in the Inspector. Closed before the stores.
   */
  audit(sink: AuditSink): this {
    if (this.plan.audit !== undefined) throw configInvalid("audit() was called twice: keep one of the two");
    return this.with({ audit: requireAuditSink("audit()", sink) });
  }

  /**
   * Serves the state of kept runs, and what they came to, by their ids: `runStatus("/runs/:run_id")`.
   * For clients of detached routes. A run's id is all that a client needs to read its output:
   * give it the guards of the routes that begin them where that is not enough. 404 for an unknown
   * run.
   */
  runStatus<const O extends RunStatusOptions>(
    path: string,
    options?: O & FitFront<O, Provided> & FitOptions<O, RunStatusOptions>,
  ): this;
  runStatus(path: string, options: RunStatusOptions = {}): this {
    if (this.plan.runStatus !== undefined)
      throw routeInvalid("runStatus() was called twice: keep one of the two");
    if (path.split(":").length !== 2)
      throw routeInvalid(`runStatus('${path}'): its path has one parameter, as in "/runs/:run_id"`);
    this.addRoute("GET", path, runStatus, options);
    return this.with({ runStatus: path });
  }

  /** How long stopping may take in milliseconds, from the signal on, before runs are cut. Default 30 000. */
  gracefulShutdown(ms: number): this {
    return this.with({ shutdownTimeoutMs: requireInteger("gracefulShutdown", ms, 0, MAX_MS) });
  }

  /**
   * How long a stopping server still serves, in milliseconds, while `/ready` is 503 and balancers
   * turn away. Default 5000, and 0 on loopback.
   */
  shutdownDelay(ms: number): this {
    return this.with({ shutdownDelayMs: requireInteger("shutdownDelay", ms, 0, MAX_MS) });
  }

  /**
   * How long a stopping server waits for idle connections to end, in milliseconds, after the last
   * response. Default 12 000 in production, by when the engine has ended them; else 0.
   */
  drainIdle(ms: number): this {
    return this.with({ drainIdleMs: requireInteger("drainIdle", ms, 0, MAX_MS) });
  }

  /**
   * How many processes share the port, up to 256; `"auto"`: one for each core. Default 1. Above
   * that `run` starts this program once more for each, with the same arguments, and serves
   * nothing itself; a worker that ends is restarted. Hooks run in each worker.
   */
  workers(count: number | "auto"): this {
    if (count !== "auto") requireInteger("workers", count, 1, 256);
    return this.with({ workers: count });
  }

  /**
   * Serves the files below a directory, for GET and HEAD: `serveDir("/assets", "dist/assets")`,
   * with conditional and range requests, `.br` and `.gz` beside a file, `index.html` for a
   * directory. 404 for names with a leading dot, and all but regular files below it, links
   * followed. `run` rejects with FILES_MISSING where there is no such directory. Throws
   * CONFIG_INVALID, ROUTE_INVALID, ROUTE_CONFLICT.
   */
  serveDir<const P extends Prefix, const O extends ServeDirOptions>(
    prefix: P,
    directory: string,
    options?: O & FitFront<O, ProvidedTo<`${P}/*path`, Provided>> & FitOptions<O, ServeDirOptions>,
  ): this;
  serveDir(prefix: string, directory: string, given: ServeDirOptions = {}): this {
    const { constant, routes, options } = declaredFolder(prefix, directory, given);
    for (const [path, axon] of routes) this.addRoute("GET", path, axon, options);
    return this.with({ constants: [...this.plan.constants, constant] });
  }

  /**
   * Sends this file for page navigations without a route: GET and HEAD with `Accept: text/html`,
   * of a path without a file extension that is not below an API's prefix. It is 200 and
   * "no-cache". Also where a directory served at "/" has no such file.
   */
  spaFallback<const O extends SpaFallbackOptions>(
    file: string,
    options?: O & FitFront<O, ProvidedTo<"/*path", Provided>> & FitOptions<O, SpaFallbackOptions>,
  ): this;
  spaFallback(file: string, options: SpaFallbackOptions = {}): this {
    if (this.plan.navigations !== undefined)
      throw routeInvalid("spaFallback() was called twice: keep one of the two");
    const { constant, route } = declaredFallback(file, options);
    return this.with({ navigations: route, constants: [...this.plan.constants, constant] });
  }

  /** The `cache-control` of files whose directory sets none: "public, max-age=300". Default "no-cache". Files with a hashed name are immutable. */
  staticCacheControl(value: string): this {
    assertHeaderValue("cache-control", value);
    return this.with({ staticCacheControl: value });
  }

  /** @internal */
  protected with(change: Partial<IngressPlan>): this {
    this.plan = { ...this.plan, ...change };
    return this;
  }

  /** @internal */
  protected abstract addProbe(path: string, axon: unknown): void;

  #probe(path: string, axon: unknown): this {
    this.addProbe(path, axon);
    return this;
  }

  #hook(hook: Hook): this {
    return this.with({ hooks: [...this.plan.hooks, hook] });
  }
}
