// What an Axon's type says of it, for the compiler alone.

export type InputSource = "schema" | "extractor";

/** Under this key an Axon's type keeps what it takes and gives. Nothing is there at run time. */
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
  // Generic, so that they are inferred and never compared: an Axon stands for one with other labels too.
  jumps<Any>(jumps: Jumps | Any): void;
  labels<Any>(labels: Labels | Any): void;
}
