// The record of one run. Made only where something asks for it: a test, a sampled
// trace, the Inspector, a dead letter.

/** How a node was left. */
export type NodeOutcome = "next" | "fault" | "branch" | "jump" | "emit" | "aborted";

/** One thing that happened. `node` is the node's id in the Schematic; times are whole microseconds since the run began. */
export type TimelineEvent =
  | { readonly kind: "node_enter"; readonly node: string; readonly at_us: number }
  | {
      readonly kind: "node_exit";
      readonly node: string;
      readonly at_us: number;
      readonly outcome: NodeOutcome;
      /** From enter to exit, whatever was waited for included. */
      readonly duration_us: number;
    }
  | {
      readonly kind: "node_paused";
      readonly node: string;
      readonly at_us: number;
      /** How long a recorder held the run there. */
      readonly held_us: number;
    }
  | { readonly kind: "branch_taken"; readonly node: string; readonly at_us: number; readonly branch: string }
  | { readonly kind: "jump_taken"; readonly node: string; readonly at_us: number; readonly label: string }
  | { readonly kind: "emitted"; readonly node: string; readonly at_us: number; readonly event: string }
  | {
      readonly kind: "node_retry";
      readonly node: string;
      readonly at_us: number;
      /** The try that failed, from 1. */
      readonly attempt: number;
      readonly delay_ms: number;
    }
  | {
      readonly kind: "node_timeout";
      readonly node: string;
      readonly at_us: number;
      readonly timeout_ms: number;
    }
  | {
      readonly kind: "compensated";
      readonly node: string;
      readonly at_us: number;
      readonly outcome: "next" | "fault";
    }
  | { readonly kind: "dlq_exhausted"; readonly node: string; readonly at_us: number };

export interface Timeline {
  readonly axon: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly started_at: number;
  readonly events: readonly TimelineEvent[];
  /** Events that were not kept, because the run had more than its Timeline may hold. */
  readonly dropped: number;
}
