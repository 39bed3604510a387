import type { AnyKey } from "#core/bus/bus-key.js";
import type { AnySignal, SignalKind } from "#core/flow/signal.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import { requireAuditSink } from "#core/ports/audit-use.js";
import { MAX_SIGNAL_CHARS } from "#core/ports/run-waits.js";
import type { StoreSet, StoresUser } from "#core/ports/store-set.js";
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
import {
  configInvalid,
  optionNames,
  requireFunction,
  requireInteger,
  requireKnown,
  routeInvalid,
} from "../refusal/option-checks.js";
import { healthProbe, livenessProbe, readinessProbe } from "../serving/health.js";
import { type AllowSignal, runSignal } from "../serving/run-signal.js";
import { runStatus } from "../serving/run-status.js";
import type { EventChannel } from "../sse/event-channel.js";
import type { ServeDirOptions } from "../static/folder-options.js";
import { declaredFallback, declaredFolder, type SpaFallbackOptions } from "../static/static-plan.js";
import { RouteBuilder } from "./route-builder.js";

/** Longest delay of a timer. */
const MAX_MS = 2_147_483_647;

const CHECK_OPTIONS = optionNames<HealthCheckOptions>()("critical timeoutMs cacheMs");

/** The front of the route that serves the status of runs. */
export type RunStatusOptions = Pick<RouteOptions<void>, "guards" | "layers" | "without" | "iam">;

/** The front of the route that takes signals, and who may send them. */
export interface RunSignalOptions extends RunStatusOptions {
  readonly allow?: AllowSignal;
}

/** A payload in UTF-8, with room for what the bound does not count. */
const MAX_SIGNAL_BYTES = 4 * MAX_SIGNAL_CHARS;

const HOSTING = optionNames<RunHostOptions>()(
  "leaseMs maxTaken maxResumptions maxSilenceMs everyMs maxWoken",
);

/** The part of HttpIngress that declares files, probes, hooks and shutdown. */
export abstract class IngressBase<Provided extends AnyKey, Res extends AnyKey> extends RouteBuilder<
  Provided,
  ""
> {
  /** @internal */
  abstract plan: IngressPlan;

  /**
   * Adds a hook that runs before the server listens, in the order of declaration; promises are awaited.
   * A returned function undoes it after the last request. If the hook fails, `run` rejects with
   * START_FAILED, and the earlier hooks are undone.
   */
  onStart(start: (resources: ResourceValues<Res>) => unknown): this {
    return this.#hook({ kind: "onStart", run: start });
  }

  /**
   * Adds a hook that runs when the server listens, before `/ready` is 200: to use the address, or to
   * warm up. A returned function undoes it when the shutdown starts. If the hook fails, the server
   * stops and `run` rejects with START_FAILED.
   */
  onReady(ready: (resources: ResourceValues<Res>, address: string) => unknown): this {
    return this.#hook({ kind: "onReady", run: ready });
  }

  /**
   * Adds a hook that runs after the last request, in reverse order of declaration, before resources
   * are disposed of. A failure is reported as SHUTDOWN_FAILED, and the other hooks still run.
   */
  onShutdown(shutdown: (resources: ResourceValues<Res>) => unknown): this {
    return this.#hook({ kind: "onShutdown", run: shutdown });
  }

  /**
   * Shows the health of the service, with a row for each check: 200 for `ok` and for `degraded`
   * (only non-critical checks failed), else 503. Guards and layers of the ingress do not apply.
   */
  healthEndpoint(path: string): this {
    return this.#probe(path, healthProbe);
  }

  /**
   * Adds a check of a dependency, which probes run. It fails if it throws, rejects, returns `false`
   * or a fault, or takes longer than `timeoutMs`, when its signal fires. Readiness includes critical
   * checks. Throws CONFIG_INVALID.
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

  /** Serves `/ready` and `/live`: see {@link readinessLiveness}. */
  readinessLivenessDefault(): this {
    return this.readinessLiveness("/ready", "/live");
  }

  /**
   * The first path is 200 between start and shutdown while the critical checks pass, else 503. The
   * second path is 200 as long as the event loop runs.
   */
  readinessLiveness(readiness: string, liveness: string): this {
    return this.#probe(readiness, readinessProbe).#probe(liveness, livenessProbe);
  }

  /**
   * Adds the stores of one database: `stores(openStores("sqlite:.framework/app.db"))`. `run` opens
   * them before circuits are compiled; `/ready` includes them; they are closed last. Axons with
   * `withPersistenceStore(Stores.mounted)` keep their runs in them. `hosting` configures how this
   * process takes over abandoned runs of other processes.
   */
  stores(stores: StoreSet, hosting: RunHostOptions = {}): this {
    if (typeof (stores as Partial<StoreSet> | undefined)?.open !== "function")
      throw configInvalid("stores() takes what openStores() returns");
    if (this.plan.stores !== undefined) throw configInvalid("stores() was called twice: keep one of the two");
    requireKnown("stores()", hosting, HOSTING);
    const { leaseMs, maxTaken, maxResumptions, maxSilenceMs, everyMs, maxWoken } = {
      ...DEFAULT_HOSTING,
      ...hosting,
    };
    requireInteger("leaseMs of stores()", leaseMs, 100, MAX_MS);
    requireInteger("maxTaken of stores()", maxTaken, 1, 10_000);
    requireInteger("maxResumptions of stores()", maxResumptions, 1, 1000);
    requireInteger("maxSilenceMs of stores()", maxSilenceMs, 0, MAX_MS);
    requireInteger("everyMs of stores()", everyMs, 10, MAX_MS);
    requireInteger("maxWoken of stores()", maxWoken, 1, 10_000);
    return this.with({ stores, hosting });
  }

  /**
   * Declares event channels, which then take the stores of this ingress, if those join channels as Redis
   * does: clients of all processes get the events of all, and resume in any.
   */
  channels(...channels: readonly EventChannel[]): this {
    for (const channel of channels as readonly Partial<StoresUser>[])
      if (typeof channel?.useStores !== "function")
        throw configInvalid("channels() takes event channels: channels(news, levels)");
    return this.with({ channels: [...this.plan.channels, ...channels] });
  }

  /**
   * Sets the audit log of this ingress, for instance `signedAudit(stores.audit, { key })`. Default:
   * the audit log of its stores. It records audited steps and interventions, unless their Axon has
   * another log, and actions of operators in the Inspector. It is closed before the stores.
   */
  audit(sink: AuditSink): this {
    if (this.plan.audit !== undefined) throw configInvalid("audit() was called twice: keep one of the two");
    return this.with({ audit: requireAuditSink("audit()", sink) });
  }

  /**
   * Serves the state and result of kept runs by id: `runStatus("/runs/:run_id")`, for clients of
   * detached routes. Without guards, any client that has a run's id can read its output: add the
   * guards of the routes that start the runs if outputs need protection. 404 for an unknown run.
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

  /**
   * Lets clients send a signal to a kept run: `runSignal("/claims/:run_id/approval", Approved, { allow })`,
   * a POST with the payload as its JSON body. `allow` decides by the caller and the run, whose `isOwn`
   * says whether it is the caller's: without it all clients may, which is refused where an ingress
   * verifies callers. The same 404 for a run that is unknown, and for one that the caller may not
   * send it to. An Idempotency-Key is the id of the signal: a run keeps one of an id.
   */
  runSignal<P, const O extends RunSignalOptions>(
    path: string,
    kind: SignalKind<string, P>,
    options?: O & FitFront<O, Provided> & FitOptions<O, RunSignalOptions>,
  ): this;
  runSignal(path: string, kind: SignalKind<string, unknown>, options: RunSignalOptions = {}): this {
    if (path.split(":").length !== 2)
      throw routeInvalid(
        `runSignal('${path}'): its path has one parameter, as in "/claims/:run_id/approval"`,
      );
    if (typeof (kind as Partial<AnySignal> | undefined)?.name !== "string")
      throw routeInvalid(
        `runSignal('${path}') takes a kind of signal: signal<Payload>()("approved", schema)`,
      );
    const { allow, ...front } = options;
    if (allow !== undefined) requireFunction(`allow of runSignal('${path}')`, allow);
    const axon = runSignal(kind, allow);
    this.addRoute("POST", path, axon, { bodyLimit: MAX_SIGNAL_BYTES, ...front });
    return allow === undefined ? this.with({ openSignals: [...this.plan.openSignals, path] }) : this;
  }

  /** Time limit of a shutdown in milliseconds, from the signal on, after which runs are cut. Default 30 000. */
  gracefulShutdown(ms: number): this {
    return this.with({ shutdownTimeoutMs: requireInteger("gracefulShutdown", ms, 0, MAX_MS) });
  }

  /**
   * Time in milliseconds for which a stopping server still serves while `/ready` is 503, so that load
   * balancers stop sending requests. Default 5000, and 0 on loopback.
   */
  shutdownDelay(ms: number): this {
    return this.with({ shutdownDelayMs: requireInteger("shutdownDelay", ms, 0, MAX_MS) });
  }

  /**
   * Time in milliseconds for which a stopping server waits for idle connections after the last
   * response. Default 12 000 in production, after which the engine has closed them; else 0.
   */
  drainIdle(ms: number): this {
    return this.with({ drainIdleMs: requireInteger("drainIdle", ms, 0, MAX_MS) });
  }

  /**
   * Number of processes that share the port, up to 256; `"auto"`: one per core. Default 1. Above 1,
   * `run` starts this program again for each worker, with the same arguments, and serves nothing
   * itself. A worker that exits is restarted. Hooks run in each worker.
   */
  workers(count: number | "auto"): this {
    if (count !== "auto") requireInteger("workers", count, 1, 256);
    return this.with({ workers: count });
  }

  /**
   * Serves the files below a directory, for GET and HEAD: `serveDir("/assets", "dist/assets")`,
   * with conditional and range requests, `.br` and `.gz` beside a file, `index.html` for a
   * directory. 404 for names with a leading dot, and for anything but regular files below the
   * directory, links followed. `run` rejects with FILES_MISSING if the directory does not exist.
   * Throws CONFIG_INVALID, ROUTE_INVALID, ROUTE_CONFLICT.
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
   * of a path without a file extension that is not below an API's prefix. The
   * response is 200 with "no-cache". It applies also if a directory at "/" has no file of the path.
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
