import type { Fault } from "#core/bus/outcome.js";
import type { InspectorFault } from "../api/fault.js";
import { type Passed, received, silence } from "./fault-envelope.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import type { Subject } from "./subject.js";

type Refused = Fault<InspectorFault>;

export interface OwnerCall<T> {
  /** Asks each process whether it owns the item. */
  readonly has: Subject<true>;
  /** Asks the owner to act. */
  readonly does: Subject<Passed<T>>;
  readonly id: string;
  readonly input: unknown;
  /** Time limit of the action, in milliseconds. */
  readonly waitMs: number;
  /** AskOptions.steers: true if the action changes something. */
  readonly steers: boolean;
}

/** Runs an action in the process that owns the item. Returns `unknown` if no process owns it. */
export async function callOwner<T>(
  peers: Peers,
  errand: OwnerCall<T>,
  unknown: Refused,
): Promise<T | Refused> {
  const { has, does, id, input, waitMs, steers } = errand;
  const asked = await peers.askAll(has, id, { waitMs: USER_WAIT_MS, first: true, steers });
  const [owner] = asked.answers;
  if (owner === undefined) return asked.silent > 0 ? silence(asked.silent) : unknown;
  const { answers } = await peers.askAll(does, input, { waitMs, to: owner.pid, steers });
  const [answer] = answers;
  return answer === undefined ? silence(1) : received(answer.value);
}
