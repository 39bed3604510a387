// Probes: Axons that an ingress mounts. Concurrent probes share one run of each check, and its result
// is cached for `cacheMs`. A check has a result after `timeoutMs` at the latest; a hanging check is not
// run again for PATIENCE time-outs. A failing check is reported once.

import { inspect } from "node:util";
import { namedKey } from "#core/bus/bus-key.js";
import { isFault } from "#core/bus/outcome.js";
import { type Reply, respond } from "#core/bus/reply.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { Axon } from "#runtime/axon/axon.js";
import type { HealthCheckPlan } from "../plan/health-check.js";
import type { Phase } from "../plan/ingress-plan.js";

export class Health {
  readonly #checks: readonly HealthCheck[];
  /** Those of readiness: the critical ones decide, the others are named. */
  readonly #ready: readonly HealthCheck[];
  readonly #phase: () => Phase;

  constructor(plans: readonly HealthCheckPlan[], context: HealthCheckContext, phase: () => Phase) {
    this.#checks = plans.map((plan) => new HealthCheck(plan, context));
    this.#ready = this.#checks.filter(({ critical, isNamed }) => critical || isNamed);
    this.#phase = phase;
  }

  /** 503 only if a critical check failed. */
  async health(): Promise<Reply<object>> {
    const checks = await resultsOf(this.#checks);
    const failed = this.#checks.filter((_, i) => checks[i]?.status === "error");
    const status =
      failed.length === 0 ? "ok" : failed.some(({ critical }) => critical) ? "error" : "degraded";
    return probed({ status, probe: "health", checks }, status !== "error");
  }

  /** Returns synchronously while starting or stopping. */
  readiness(): Reply<object> | Promise<Reply<object>> {
    const phase = this.#phase();
    if (phase !== "ready" || this.#ready.length === 0) return phaseOf(phase);
    return resultsOf(this.#ready).then((checks) => {
      const isReady = checks.every(({ status }, at) => status === "ok" || !this.#ready[at]?.critical);
      // The shutdown may have started meanwhile.
      if (this.#phase() !== "ready") return phaseOf(this.#phase());
      return probed({ status: isReady ? "ready" : "error", probe: "readiness", checks }, isReady);
    });
  }
}

const probed = (body: object, isWell: boolean): Reply<object> =>
  respond({ status: isWell ? 200 : 503, headers: { "cache-control": "no-store" }, body });

const phaseOf = (phase: Phase): Reply<object> =>
  probed({ status: phase, probe: "readiness" }, phase === "ready");

const resultsOf = (checks: readonly HealthCheck[]): Promise<readonly CheckResult[]> =>
  Promise.all(checks.map((check) => check.result()));

const alive = probed({ status: "ok", probe: "liveness" }, true);

export const HealthKey = namedKey<Health, "framework:health">("framework:health");

const reads = [HealthKey] as const;

export const healthProbe = Axon.start("health").thenFn("check", (_, bus) => bus.get(HealthKey).health(), {
  reads,
});

export const readinessProbe = Axon.start("readiness").thenFn(
  "ready",
  (_, bus) => bus.get(HealthKey).readiness(),
  { reads },
);

export const livenessProbe = Axon.start("liveness").thenFn("live", () => alive);

/** Number of time-outs. */
const PATIENCE = 10;

/** The checks of a program, followed by the check of its stores. */
export const healthChecksOf = ({
  healthChecks,
  stores,
}: {
  readonly healthChecks: readonly HealthCheckPlan[];
  readonly stores: StoreSet | undefined;
}): readonly HealthCheckPlan[] =>
  stores === undefined
    ? healthChecks
    : [
        ...healthChecks,
        { name: "stores", critical: true, ...OF_STORES, run: stores.check },
        ...(stores.sharedCheck === undefined
          ? []
          : [{ name: "redis", isNamed: true, ...OF_STORES, ...stores.sharedCheck }]),
      ];

const OF_STORES = { timeoutMs: 2000, cacheMs: 1000 };

export interface CheckResult {
  readonly name: string;
  readonly status: "ok" | "error";
  readonly duration_ms: number;
  /** Not in production. */
  readonly error?: string;
}

export interface HealthCheckContext {
  readonly resources: Readonly<Record<string, unknown>>;
  readonly production: boolean;
  readonly reporter: Reporter;
  readonly clock: Clock;
}

type Verdict = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

const OK: Verdict = { ok: true };

export class HealthCheck {
  readonly critical: boolean;
  readonly isNamed: boolean;
  readonly #plan: HealthCheckPlan;
  readonly #context: HealthCheckContext;
  #running: Promise<CheckResult> | undefined;
  #last: CheckResult | undefined;
  #staysUntil = 0;
  /** Time until which a hanging check is not run again. */
  #hangsUntil = 0;

  constructor(plan: HealthCheckPlan, context: HealthCheckContext) {
    this.critical = plan.critical;
    this.isNamed = plan.isNamed === true;
    this.#plan = plan;
    this.#context = context;
  }

  /** Never rejects. */
  result(): Promise<CheckResult> {
    const now = this.#context.clock.now();
    if (this.#last !== undefined && (now < this.#staysUntil || now < this.#hangsUntil))
      return Promise.resolve(this.#last);
    this.#running ??= this.#run(now);
    return this.#running;
  }

  async #run(began: number): Promise<CheckResult> {
    const verdict = await this.#verdict();
    const { clock } = this.#context;
    const ended = clock.now();
    const result = this.#resultOf(verdict, ended - began);
    this.#last = result;
    this.#staysUntil = ended + this.#plan.cacheMs;
    this.#running = undefined;
    return result;
  }

  #verdict(): Promise<Verdict> {
    const { timeoutMs, run } = this.#plan;
    const { clock, resources } = this.#context;
    const limit = new AbortController();
    return new Promise((resolve) => {
      const cancel = clock.after(timeoutMs, () => {
        const error = new Error(`No answer within ${timeoutMs} ms`);
        this.#hangsUntil = clock.now() + PATIENCE * timeoutMs;
        resolve({ ok: false, error });
        limit.abort(error);
      });
      const settle = (verdict: Verdict): void => {
        cancel();
        this.#hangsUntil = 0;
        resolve(verdict);
      };
      const answered = async (): Promise<unknown> => run(resources as never, limit.signal);
      answered().then(
        (answer) => settle(verdictOf(answer)),
        (error: unknown) => settle({ ok: false, error }),
      );
    });
  }

  #resultOf(verdict: Verdict, tookMs: number): CheckResult {
    const { name } = this.#plan;
    const { production, reporter } = this.#context;
    const duration_ms = Math.round(tookMs);
    if (verdict.ok) return { name, status: "ok", duration_ms };
    const { error } = verdict;
    if (this.#last?.status !== "error")
      reporter({ code: "HEALTH_CHECK_FAILED", message: `The health check '${name}' fails`, error });
    return { name, status: "error", duration_ms, ...(!production && { error: textOf(error) }) };
  }
}

function verdictOf(answer: unknown): Verdict {
  if (isFault(answer)) return { ok: false, error: answer.error };
  return answer === false ? { ok: false, error: new Error("It answered false") } : OK;
}

const MAX_TEXT_LENGTH = 200;

/** Reading the error may throw. */
function textOf(error: unknown): string {
  try {
    const text = error instanceof Error ? String(error.message) : inspect(error, { depth: 1 });
    return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}...` : text;
  } catch {
    return "What was thrown cannot be shown";
  }
}
