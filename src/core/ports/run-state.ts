// The states of a kept run, in one table: for the API and the page of the Inspector, the metrics and
// the status route. Stores know fewer: an ended run is one state of their rows.

export const RUN_STATES = {
  running: { isOver: false, says: "At work, or interrupted until a host or an operator resumes it" },
  waiting: { isOver: false, says: "Waits for a signal, or for the end of another run" },
  sleeping: { isOver: false, says: "Sleeps until its time" },
  stuck: {
    isOver: false,
    says: "Resumed too often without a new checkpoint: stopped until it is resumed here",
  },
  unfit: { isOver: false, says: "Its process ended, or it waits, and no code of this server can resume it" },
  completed: { isOver: true, says: "Completed" },
  failed: { isOver: true, says: "Failed, and its completed steps are compensated" },
  cancelled: { isOver: true, says: "Cancelled, and its completed steps are compensated" },
} as const;

export type RunStateName = keyof typeof RUN_STATES;

/** In the order of the table. */
export const RUN_STATE_NAMES = Object.keys(RUN_STATES) as RunStateName[];

/** The states of unfinished runs, which stores list and count. */
export type UnfinishedState = {
  [S in RunStateName]: (typeof RUN_STATES)[S]["isOver"] extends false ? S : never;
}[RunStateName];
