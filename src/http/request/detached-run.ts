// A run that continues without its client. The response is sent when the start of the run is stored.

import { waits } from "#runtime/definition/waiting-step.js";
import type { RunHost } from "#runtime/hosting/run-host.js";
import type { RunState } from "#runtime/run/run-state.js";
import type { RouteAnswers } from "../answer/route-answers.js";
import type { Exchange } from "../exchange/exchange.js";
import { describeRoute, type RouteDefinition } from "../plan/route-definition.js";
import { routeInvalid } from "../refusal/option-checks.js";

export interface DetachedRun {
  readonly exchange: Exchange;
  readonly state: RunState;
  readonly run: () => unknown;
  /** Sends the outcome of a run that ended before its start was stored, such as a guard's refusal or RUN_TAKEN. */
  readonly answer: (outcome: unknown) => void;
}

export class DetachedRuns {
  readonly #host: RunHost;
  readonly #axon: string;

  private constructor(host: RunHost, axon: string) {
    this.#host = host;
    this.#axon = axon;
  }

  /** Undefined for a route that waits for its run. Throws ROUTE_INVALID if no run status is served. */
  static of(route: RouteDefinition, { host, path }: { host: RunHost | undefined; path: string | undefined }) {
    if (!route.detached || host === undefined) return undefined;
    if (path === undefined)
      throw routeInvalid(
        `${describeRoute(route)} is detached, and nothing serves the status of its runs: add runStatus("/runs/:run_id")`,
      );
    return new DetachedRuns(host, route.axon.name);
  }

  run({ exchange, state, run, answer }: DetachedRun, answers: RouteAnswers): void {
    exchange.wait();
    this.#host.started(this.#axon, state, run).then(
      (started) => {
        if (started.kind === "begun") answers.accepted(exchange, started.id);
        else answer(started.outcome);
      },
      (error: unknown) => answers.fail(exchange, error),
    );
  }
}

/** Throws ROUTE_INVALID for a run that waits, and whose client could not find it again. */
export function requireFindable(route: RouteDefinition, path: string | undefined): void {
  if (path !== undefined || !waits(route.axon)) return;
  throw routeInvalid(
    `${describeRoute(route)} answers 202 once its run waits, and nothing serves the status of its runs: add runStatus("/runs/:run_id")`,
  );
}

/** Makes the URL path of a run's status from the pattern of `runStatus`. */
export function statusTargets(path: string | undefined): ((runId: string) => string) | undefined {
  const parts = path?.split(/:[^/]+/);
  return parts && ((runId) => parts.join(encodeURIComponent(runId)));
}
