export type {
  Advanced,
  AdvanceOptions,
  AdvanceStart,
  AdvanceWaits,
  AdvanceWoken,
  LogEntry,
} from "./axon/advance-types.js";
export { Axon } from "./axon/axon.js";
export type { Label } from "./axon/axon-flow.js";
export type { AnyAxon, AxonInfo } from "./axon/axon-types.js";
export { exportSchematic } from "./axon/export-schematic.js";
export { type Redriven, redrive } from "./axon/redrive.js";
export { type ChildRun, childRun } from "./axon/waiting-steps.js";
export type { Budget, CheckpointMode, OutputCheck, RetainOptions } from "./definition/axon-definition.js";
export { type MapInput, type Migration, MigrationStrategy } from "./definition/axon-definition.js";
export { DlqPolicy } from "./definition/dlq-policy.js";
export { ExecutionMode, type Local, type Singleton } from "./definition/execution-mode.js";
export type { InputSource } from "./definition/flow.js";
export type { Merge, ParallelStrategy } from "./definition/parallel-types.js";
export type { PersistenceOptions } from "./definition/persistence.js";
export { type FaultTest, hasCode, type RetriedCode, RetryPolicy } from "./definition/retry-policy.js";
export type { LabelSchemas } from "./definition/run-label.js";
export {
  type CompensatedOptions,
  type CompensationOptions,
  type Done,
  SagaPolicy,
  type Undo,
} from "./definition/saga-policy.js";
export { signal } from "./definition/signal.js";
export type { SchematicOptions } from "./draw/schematic-of.js";
export { SchematicSchema } from "./draw/schematic-schema.js";
export { MemoryDeadLetters, type MemoryDeadLettersOptions } from "./kept/memory-dead-letters.js";
export { MemoryLocks } from "./kept/memory-locks.js";
export { MemoryRuns, type MemoryRunsOptions } from "./kept/memory-runs.js";
export { type ReplayOptions, replayRun, type StoredRun } from "./replay/replay-run.js";
export type { ReplayDifference, Replayed } from "./replay/replayed.js";
export { ManualClock } from "./run/manual-clock.js";
export type { ExpectedEvent } from "./testing/axon-test-kit.js";
export { AxonTestKit, type BusAfterRun, type TestKitOptions, type TestRun } from "./testing/axon-test-kit.js";
