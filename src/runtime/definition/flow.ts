// The type-level description of an Axon, for the compiler only.

export type InputSource = "schema" | "extractor";

/** The key under which an Axon's type has its input and output. Never present at run time. */
export declare const flow: unique symbol;

export interface Flow<
  in In,
  out Out,
  out E,
  out Needs,
  out Open,
  out Src,
  Jumps = unknown,
  Labels = unknown,
> {
  readonly in: (input: In) => void;
  readonly out: () => Out;
  readonly error: () => E;
  readonly needs: () => Needs;
  readonly open: () => Open;
  readonly source: () => Src;
  // Generic, so that they are inferred and never compared: an Axon is assignable to one with other labels.
  jumps<Any>(jumps: Jumps | Any): void;
  labels<Any>(labels: Labels | Any): void;
}
