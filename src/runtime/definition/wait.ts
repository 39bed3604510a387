// What a step that waits declares. steps/wait-step.ts runs it.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { Fault } from "#core/bus/outcome.js";
import type { AnySignal } from "#core/flow/signal.js";

/** The longest time that a step may wait, in milliseconds: 3650 days. */
export const MAX_WAIT_MS = 315_360_000_000;

/** A run sleeps for a number of milliseconds, or until the time that the function answers. */
export interface Sleep {
  readonly kind: "sleep";
  readonly until: number | ((value: never, bus: never) => Date);
}

export interface SignalWait {
  readonly kind: "signals";
  readonly signals: readonly AnySignal[];
  /** True for `waitForAny`: what came is `{ signal, payload }`, not the payload alone. */
  readonly isAny: boolean;
  readonly timeoutMs: number | undefined;
  /** The branch that is taken after it, with the value, or the fault. Undefined: WAIT_TIMEOUT. */
  readonly onTimeout: string | Fault<unknown> | undefined;
  /** Makes the next value, or a fault, of the value and what came. Default: what came. May be async. */
  readonly take: ((value: never, came: never, bus: never) => unknown) | undefined;
}

/** Waits for the end of the run whose id the key has. */
interface RunWaitStep {
  readonly kind: "run";
  /** The name of its Axon. */
  readonly axon: string;
  readonly child: AnyKey;
  readonly take: ((value: never, output: never, bus: never) => unknown) | undefined;
}

/** Ends the log of the run, which goes on from its first step in a new one. */
export interface Continuing {
  readonly kind: "continue";
  readonly input: (value: never, bus: never) => unknown;
}

export type WaitDefinition = Sleep | SignalWait | RunWaitStep | Continuing;

/** Begins a kept run, once, and goes on. The key gets its id. */
export interface StartDefinition {
  /** The name of its Axon, which is mounted in the same host. */
  readonly axon: string;
  readonly child: AnyKey;
  readonly input: (value: never, bus: never) => unknown;
}
