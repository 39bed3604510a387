// Types of an Axon's parallel steps.

export type ParallelStrategy = "AllMustSucceed" | "AnyCanFail";

/** Makes the next input from the answers of the steps, in their order. */
export type Merge = (results: readonly unknown[], input: unknown) => unknown;
