// A run that continues without its client: the response is sent once its beginning is kept.

import { randomUUID } from "node:crypto";

import { RunId } from "#core/run-store.js";
import type { RunHost } from "#runtime/run-host.js";
import type { RunState } from "#runtime/run-state.js";
import { routeInvalid } from "./invalid.js";
import type { Exchange } from "./native/exchange.js";
import type { RouteAnswers } from "./route-answers.js";
import { describeRoute, type RouteDefinition } from "./route-definition.js";

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

  /** Answers 202 once the beginning is kept; what ends before that, as a guard's refusal, is answered as ever. */
  run(exchange: Exchange, state: RunState, run: () => unknown, answers: RouteAnswers): void {
    const slot = state.slotOf(RunId);
    const given: unknown = state.values[slot] ?? state.make(RunId);
    const id = typeof given === "string" ? given : randomUUID();
    state.values[slot] = id;
    exchange.wait();
    this.#host.started(id, run).then(
      (over) => {
        if (over !== undefined) answers.send(exchange, over.outcome);
        else answers.accepted(exchange, id);
      },
      (error: unknown) => answers.fail(exchange, error),
    );
  }
}

/** Makes the target of a run's status from the path of `runStatus`. */
export function statusTargets(path: string | undefined): ((runId: string) => string) | undefined {
  const parts = path?.split(/:[^/]+/);
  return parts && ((runId) => parts.join(encodeURIComponent(runId)));
}
