export { Axon } from "./axon.js";
export type { OutputCheck } from "./axon-definition.js";
export { AxonTestKit, type BusAfterRun, type TestKitOptions, type TestRun } from "./axon-test-kit.js";
export type { AnyAxon, AxonInfo, InputSource, Label } from "./axon-types.js";
export { ManualClock } from "./manual-clock.js";
export type { Merge, ParallelStrategy } from "./parallel-step.js";
export { RetryPolicy } from "./retry-policy.js";
export type { SchematicOptions } from "./schematic-of.js";
