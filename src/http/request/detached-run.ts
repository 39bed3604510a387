// A run that continues without its client: the response is sent once its beginning is kept.

import { isFault } from "#core/bus/outcome.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import type { RunHost } from "#runtime/hosting/run-host.js";
import type { RunState } from "#runtime/run/run-state.js";
import type { RouteAnswers } from "../answer/route-answers.js";
import type { Exchange } from "../exchange/exchange.js";
import { describeRoute, type RouteDefinition } from "../plan/route-definition.js";
import { routeInvalid } from "../refusal/invalid.js";

export interface DetachedRun {
  readonly exchange: Exchange;
  readonly state: RunState;
  readonly run: () => unknown;
  /** Answers what ended before its beginning was kept, such as the refusal of a guard. */
  readonly answer: (outcome: unknown) => void;
}

export class DetachedRuns {
  readonly #host: RunHost;

  private constructor(host: RunHost) {
    this.#host = host;
  }

  /** Undefined for a route that waits for its run. Throws ROUTE_INVALID where no status is served. */
  static of(route: RouteDefinition, { host, path }: { host: RunHost | undefined; path: string | undefined }) {
    if (!route.detached || host === undefined) return undefined;
    if (path === undefined)
      throw routeInvalid(
        `${describeRoute(route)} is detached, and nothing serves the status of its runs: add runStatus("/runs/:run_id")`,
      );
    return new DetachedRuns(host);
  }

  run({ exchange, state, run, answer }: DetachedRun, answers: RouteAnswers): void {
    exchange.wait();
    this.#host.started(state, run).then(
      (started) => {
        const runId = started.kind === "begun" ? started.id : takenRun(started.outcome);
        if (runId !== undefined) answers.accepted(exchange, runId);
        else if (started.kind === "over") answer(started.outcome);
      },
      (error: unknown) => answers.fail(exchange, error),
    );
  }
}

/** The run that an earlier request of the same id began. */
function takenRun(outcome: unknown): string | undefined {
  if (!isFault(outcome) || !isRuntimeFault(outcome.error)) return undefined;
  return outcome.error.code === "RUN_TAKEN" ? outcome.error.runId : undefined;
}

/** Makes the target of a run's status from the path of `runStatus`. */
export function statusTargets(path: string | undefined): ((runId: string) => string) | undefined {
  const parts = path?.split(/:[^/]+/);
  return parts && ((runId) => parts.join(encodeURIComponent(runId)));
}
