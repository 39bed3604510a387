export type NodeOutcome = "next" | "fault" | "branch" | "jump" | "emit" | "aborted";

/** What a run waits for outside its nodes: an append to its log, or its lock. */
export type WaitReason = "checkpoint" | "lock";

/** One event. `node` is the node's id in the Schematic. Times are whole microseconds since the start of the run. */
export type TimelineEvent = { readonly node: string; readonly at_us: number } & (
  | { readonly kind: "node_enter" }
  /** `duration_us` is from entry to exit, including waits. */
  | { readonly kind: "node_exit"; readonly outcome: NodeOutcome; readonly duration_us: number }
  /** A recorder suspended the run here. */
  | { readonly kind: "node_paused"; readonly held_us: number }
  /** The run waited for its store, until now: before `node`, or after it at the end of the run. No time of the node. */
  | { readonly kind: "waited"; readonly reason: WaitReason; readonly waited_us: number }
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
  /** Number of events dropped because the Timeline was full. */
  readonly dropped: number;
}
