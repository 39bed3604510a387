// What probes are answered: how the service and what it depends on are, whether it wants
// requests, and that it is alive. Axons like any other, which an ingress mounts; what
// they tell stands on the Bus under a key of the framework's own.

import { namedKey } from "#core/bus-key.js";
import { type Reply, respond } from "#core/reply.js";
import { Axon } from "#runtime/axon.js";
import {
  type CheckResult,
  HealthCheck,
  type HealthCheckContext,
  type HealthCheckPlan,
} from "./health-check.js";
import type { Phase } from "./lifecycle.js";

/** What is told of an ingress at run time. */
export class Health {
  readonly #checks: readonly HealthCheck[];
  readonly #critical: readonly HealthCheck[];
  readonly #phase: () => Phase;

  constructor(plans: readonly HealthCheckPlan[], context: HealthCheckContext, phase: () => Phase) {
    this.#checks = plans.map((plan) => new HealthCheck(plan, context));
    this.#critical = this.#checks.filter(({ critical }) => critical);
    this.#phase = phase;
  }

  /** Every check; `degraded` is still 200, because what failed is not critical. */
  async health(): Promise<Reply<object>> {
    const checks = await resultsOf(this.#checks);
    const failed = this.#checks.filter((_, i) => checks[i]?.status === "error");
    const status =
      failed.length === 0 ? "ok" : failed.some(({ critical }) => critical) ? "error" : "degraded";
    return probed({ status, probe: "health", checks }, status !== "error");
  }

  /** Nobody is asked where the answer is known: a server that stops must say so at once. */
  readiness(): Reply<object> | Promise<Reply<object>> {
    const phase = this.#phase();
    if (phase !== "ready" || this.#critical.length === 0) return phaseOf(phase);
    return resultsOf(this.#critical).then((checks) => {
      const isReady = checks.every(({ status }) => status === "ok");
      // It may have begun to stop meanwhile.
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
