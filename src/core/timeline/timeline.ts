export type NodeOutcome = "next" | "fault" | "branch" | "jump" | "emit" | "aborted";

/** One thing that happened. `node` is the node's id in the Schematic; times are whole microseconds since the run began. */
export type TimelineEvent = { readonly node: string; readonly at_us: number } & (
  | { readonly kind: "node_enter" }
  /** `duration_us` is from enter to exit, whatever was waited for included. */
  | { readonly kind: "node_exit"; readonly outcome: NodeOutcome; readonly duration_us: number }
  /** A recorder held the run there. */
  | { readonly kind: "node_paused"; readonly held_us: number }
  | { readonly kind: "branch_taken"; readonly branch: string }
  | { readonly kind: "jump_taken"; readonly label: string }
  | { readonly kind: "emitted"; readonly event: string }
  /** `attempt` is the try that failed, from 1. */
  | { readonly kind: "node_retry"; readonly attempt: number; readonly delay_ms: number }
  | { readonly kind: "node_timeout"; readonly timeout_ms: number }
  | { readonly kind: "compensated"; readonly outcome: "next" | "fault" }
  | { readonly kind: "dlq_exhausted" }
);

export interface Timeline {
  readonly axon: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly started_at: number;
  readonly events: readonly TimelineEvent[];
  /** Events that were not kept, because the run had more than its Timeline may hold. */
  readonly dropped: number;
}
