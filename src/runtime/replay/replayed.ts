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

export type Replayed = {
  /** Nodes that ran, and those whose stored outcome was given back, in the order of the run. */
  readonly ran: readonly string[];
  readonly given: readonly string[];
} & (
  | { readonly kind: "same" /** False where the log ends before the run does. */; readonly isWhole: boolean }
  | { readonly kind: "differs"; readonly difference: ReplayDifference }
  /** It could not be replayed to its end: `code` is REPLAY_EFFECT, REPLAY_UNKEPT, REPLAY_REFUSED or REPLAY_UNREADABLE. */
  | { readonly kind: "refused"; readonly code: string; readonly reason: string; readonly node?: string }
);
