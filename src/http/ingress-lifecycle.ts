import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { healthProbe, livenessProbe, readinessProbe } from "./health.js";
import type { HealthCheckOptions } from "./health-check.js";
import type { IngressPlan } from "./ingress-plan.js";
import type { ResourceValues } from "./ingress-types.js";
import { namesOf, requireKnown } from "./known-options.js";
import type { Hook } from "./lifecycle.js";
import { requireInteger } from "./required-integer.js";
import { RouteBuilder } from "./route-builder.js";

/** The longest time that a timer takes. */
const MAX_MS = 2_147_483_647;

const CHECK_OPTIONS = namesOf<HealthCheckOptions>({ critical: true, timeoutMs: true, cacheMs: true });

/** What is declared of how an ingress begins, tells how it is, and stops. A part of HttpIngress. */
export abstract class IngressLifecycle<Provided extends AnyKey, Res extends AnyKey> extends RouteBuilder<
  Provided,
  ""
> {
  /** @internal */
  abstract plan: IngressPlan;

  /**
   * Runs before the server listens; a promise is waited for. Hooks run one after another in
   * the order of their declaration. A function that it answers undoes it, once nobody is
   * served any more. Where it fails, `run` rejects with START_FAILED, and what was declared
   * before it is undone.
   */
  onStart(start: (resources: ResourceValues<Res>) => unknown): this {
    return this.#hook({ kind: "onStart", run: start });
  }

  /**
   * Runs once the server listens, and before `/ready` says so: what needs the address, or
   * warms something up. A function that it answers undoes it, as soon as the server is to
   * stop: while it still serves. Where it fails, the server stops and `run` rejects with START_FAILED.
   */
  onReady(ready: (resources: ResourceValues<Res>, address: string) => unknown): this {
    return this.#hook({ kind: "onReady", run: ready });
  }

  /**
   * Runs once nobody is served any more, the last declared first, and before resources are
   * disposed of. Where it fails that is reported as SHUTDOWN_FAILED, and the others still run.
   */
  onShutdown(shutdown: (resources: ResourceValues<Res>) => unknown): this {
    return this.#hook({ kind: "onShutdown", run: shutdown });
  }

  /**
   * Answers how the service is, with a row for each check: 200 for `ok` and for `degraded`,
   * where only checks failed that are not critical; else 503. No guard and no layer of the
   * ingress stands before a probe.
   */
  healthEndpoint(path: string): this {
    return this.#probe(path, healthProbe);
  }

  /**
   * A check of what the service depends on, run when a probe asks for it. It fails where it
   * throws, rejects, answers `false` or a fault, or does not answer in `timeoutMs`, when its
   * signal fires. A critical one is a part of readiness. Throws CONFIG_INVALID.
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
      throw new FrameworkError("CONFIG_INVALID", `healthCheck('${name}'): give each check a name of its own`);
    requireInteger(`timeoutMs of the health check '${name}'`, timeoutMs, 1, MAX_MS);
    requireInteger(`cacheMs of the health check '${name}'`, cacheMs, 0, MAX_MS);
    const added = { name, run: check, critical, timeoutMs, cacheMs };
    this.plan = { ...this.plan, healthChecks: [...healthChecks, added] };
    return this;
  }

  /** Answers at `/ready` and `/live`: see {@link readinessLiveness}. */
  readinessLivenessDefault(): this {
    return this.readinessLiveness("/ready", "/live");
  }

  /**
   * Answers at the first path whether the service wants requests, 200 or 503: it has begun,
   * it is not to stop, and its critical checks are well; at the second that it is alive,
   * 200 as long as the event loop turns.
   */
  readinessLiveness(readiness: string, liveness: string): this {
    return this.#probe(readiness, readinessProbe).#probe(liveness, livenessProbe);
  }

  /** How long stopping may take in milliseconds, from the signal on, before runs are cut. Default 30 000. */
  gracefulShutdown(ms: number): this {
    this.plan = { ...this.plan, shutdownTimeoutMs: requireInteger("gracefulShutdown", ms, 0, MAX_MS) };
    return this;
  }

  /**
   * How long a server that is to stop goes on serving, in milliseconds, while `/ready` is
   * 503: balancers look elsewhere meanwhile. Default 5000, and 0 where it listens on loopback.
   */
  shutdownDelay(ms: number): this {
    this.plan = { ...this.plan, shutdownDelayMs: requireInteger("shutdownDelay", ms, 0, MAX_MS) };
    return this;
  }

  /**
   * How long a stopping server waits for idle connections to end, in milliseconds, once no
   * answer is left. Default 12 000 in production, by when the engine has ended them itself; else 0.
   */
  drainIdle(ms: number): this {
    this.plan = { ...this.plan, drainIdleMs: requireInteger("drainIdle", ms, 0, MAX_MS) };
    return this;
  }

  /**
   * How many processes share the port, up to 256; `"auto"`: one for each core. Default 1.
   * Above that `run` starts this program once more for each, with the same arguments, and
   * serves nothing itself; a worker that ends is started again. Hooks run in each worker.
   */
  workers(count: number | "auto"): this {
    if (count !== "auto") requireInteger("workers", count, 1, 256);
    this.plan = { ...this.plan, workers: count };
    return this;
  }

  /** @internal */
  protected abstract addProbe(path: string, axon: unknown): void;

  #probe(path: string, axon: unknown): this {
    this.addProbe(path, axon);
    return this;
  }

  #hook(hook: Hook): this {
    this.plan = { ...this.plan, hooks: [...this.plan.hooks, hook] };
    return this;
  }
}
