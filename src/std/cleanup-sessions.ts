import type { BusView } from "#core/bus.js";
import { FailureLog } from "#core/log.js";
import { type Fault, fault } from "#core/outcome.js";
import type { Transition } from "#core/transition.js";
import { invalidOption, requireKnownOptions } from "./invalid-option.js";
import { logFailure } from "./session-bus.js";
import { SessionFault, type StoreUnavailable } from "./session-fault.js";
import type { Sessions } from "./sessions.js";

export interface CleanupSessionsOptions {
  /** How many sessions one run forgets at most. Default 1000. */
  readonly batch?: number;
}

/**
 * Has the store forget sessions whose time is up, a batch a run, and answers how many it were:
 * as many as the batch, and there may be more. For an Axon that a timer or an EventSource runs.
 */
export class CleanupSessions
  implements Transition<unknown, Promise<number | Fault<StoreUnavailable>>, never, never, typeof FailureLog>
{
  readonly name = "CleanupSessions";
  readonly description: string;
  readonly mayRead = [FailureLog] as const;
  readonly #sessions: Sessions;
  readonly #batch: number;

  /** Throws CONFIG_INVALID. */
  constructor(sessions: Sessions, options: CleanupSessionsOptions = {}) {
    requireKnownOptions("CleanupSessions", options, ["batch"]);
    const { batch = 1000 } = options;
    if (!Number.isSafeInteger(batch) || batch < 1)
      throw invalidOption(
        "CleanupSessions",
        `batch must be a positive whole number, and is ${String(batch)}`,
      );
    this.description = `At most ${batch} in a run`;
    this.#sessions = sessions;
    this.#batch = batch;
  }

  readonly run = async (
    _: unknown,
    bus: BusView<never, never, typeof FailureLog>,
  ): Promise<number | Fault<StoreUnavailable>> => {
    const count = await this.#sessions.cleanUp(this.#batch);
    if (!(count instanceof SessionFault)) return count;
    logFailure(bus, this.name, count);
    return fault(count);
  };
}
