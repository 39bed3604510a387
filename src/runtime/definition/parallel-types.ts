// What an Axon declares of steps that run at once.

export type ParallelStrategy = "AllMustSucceed" | "AnyCanFail";

/** Makes the next input of what the steps answered, in their order. */
export type Merge = (results: readonly unknown[], input: unknown) => unknown;
