// Requests to the hosts of kept runs, from processes that cannot carry them out themselves: a
// command, another service. Hosts read them after each beat.

import type { MaybePromise } from "../bus/outcome-types.js";
import type { Json } from "../wire/json-text.js";

export interface HostRequest {
  /** Unique: a request that is kept already is not kept again. */
  readonly id: string;
  /**
   * What is to be done: "resume", "cancel", "signal", "wake", "start" or "forget" a run, "redrive" or
   * "discard" a dead letter, "forget-subject" in memory.
   */
  readonly kind: string;
  /** The id of the run, the letter or the erasure. */
  readonly target: string;
  /** Only this host. Absent: the first that can. */
  readonly host?: string;
  /** The actor, for the audit log of the Axon. */
  readonly by: string;
  readonly reason?: string;
  /** What the kind needs beside its target: the input of a run, the payload of a signal. */
  readonly payload?: Json;
}

export type HostRequestState =
  | { readonly kind: "open" }
  | { readonly kind: "answered"; readonly host: string; readonly answer: Json }
  /** Its time is over: no host begins it any more, and no answer is kept. */
  | { readonly kind: "unanswered" };

/** Keeps requests. All times are by the clock of the store. */
export interface HostRequestStore {
  /** Keeps a request for `ttlMs` milliseconds. */
  readonly ask: (request: HostRequest, ttlMs: number) => MaybePromise<void>;
  /** Undefined for an unknown request. */
  readonly state: (id: string) => MaybePromise<HostRequestState | undefined>;
  /** Requests without an answer whose time is not over: for this host, and for any. Oldest first. */
  readonly open: (host: string, limit: number) => MaybePromise<readonly HostRequest[]>;
  /** Makes an open request for any host one for this host. Returns whether it did: one host succeeds. */
  readonly take: (id: string, host: string) => MaybePromise<boolean>;
  /** Keeps the answer of the host to which an open request belongs. Returns whether it did. */
  readonly answer: (id: string, host: string, answer: Json) => MaybePromise<boolean>;
}
