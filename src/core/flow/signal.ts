// A kind of signal that runs wait for.

import type { TSchema } from "@sinclair/typebox";

declare const payload: unique symbol;

/** A kind of signal: its name, and the schema of its payload. Made by {@link signal}. */
export interface SignalKind<out Name extends string, in P> {
  readonly name: Name;
  readonly schema: TSchema;
  readonly [payload]?: (p: P) => void;
}
