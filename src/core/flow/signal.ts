// A kind of signal that runs wait for.

import type { TSchema } from "@sinclair/typebox";

declare const payload: unique symbol;

/**
 * A kind of signal: its name, and the schema of its payload. Made by {@link signal}. Invariant in
 * its payload: it is sent and received as the same type.
 */
export interface SignalKind<out Name extends string, in out P> {
  readonly name: Name;
  readonly schema: TSchema;
  readonly [payload]?: (p: P) => P;
}

export type AnySignal = SignalKind<string, any>;
