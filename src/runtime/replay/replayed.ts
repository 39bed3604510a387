// The result of a replay.

import type { Json } from "#core/wire/json-text.js";

/** The first place where today's code does something else than the log has. */
export interface ReplayDifference {
  /** The node that came to something else: that of the log where both names differ. */
  readonly node: string;
  /** What differs: the node that is next, a value that is handed on, a Bus value, the end. */
  readonly of: "next" | "input" | "bus" | "wait" | "output" | "error" | "end";
  /** JSON pointer to the value, from `of` on: "/lines/0/price"; empty for all of it. */
  readonly pointer: string;
  /** As the log has it; absent where it has none. */
  readonly stored?: Json;
  readonly now?: Json;
  /** Number of the entry of the log, from 1. */
  readonly entry: number;
}

export type ReplayResult =
  /** `isWhole` is false where the log ends before the run does. */
  | { readonly kind: "same"; readonly isWhole: boolean }
  | { readonly kind: "differs"; readonly difference: ReplayDifference }
  /** It could not be replayed to its end. */
  | {
      readonly kind: "refused";
      readonly code: ReplayRefusal;
      readonly reason: string;
      readonly node?: string;
    };

export type ReplayRefusal =
  /** A step acts on the world, and is not declared as an effect. */
  | "REPLAY_EFFECT"
  /** A value or an outcome is not in the log. */
  | "REPLAY_UNKEPT"
  | "REPLAY_UNREADABLE"
  | "REPLAY_REFUSED";

/** With the nodes that ran, and those whose stored outcome was given back, in the order of the run. */
export type Replayed = ReplayResult & { readonly ran: readonly string[]; readonly given: readonly string[] };
