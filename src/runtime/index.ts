export { Axon } from "./axon.js";
export type { Budget, OutputCheck } from "./axon-definition.js";
export type { ExpectedEvent } from "./axon-test-kit.js";
export { AxonTestKit, type BusAfterRun, type TestKitOptions, type TestRun } from "./axon-test-kit.js";
export type { AnyAxon, AxonInfo, InputSource, Label } from "./axon-types.js";
export { DlqPolicy } from "./dlq-policy.js";
export { ExecutionMode, type Local, type Singleton } from "./execution-mode.js";
export { ManualClock } from "./manual-clock.js";
export { MemoryDeadLetters, type MemoryDeadLettersOptions } from "./memory-dead-letters.js";
export { MemoryLocks } from "./memory-locks.js";
export { MemoryRuns, type MemoryRunsOptions } from "./memory-runs.js";
export { type MapInput, type Migration, MigrationStrategy } from "./migration.js";
export type { Merge, ParallelStrategy } from "./parallel-step.js";
export type { CheckpointMode, PersistenceOptions } from "./persistence.js";
export { type Redriven, redrive } from "./redrive.js";
export { type FaultTest, hasCode, type RetriedCode, RetryPolicy } from "./retry-policy.js";
export {
  type CompensatedOptions,
  type CompensationOptions,
  type Done,
  SagaPolicy,
  type Undo,
} from "./saga-policy.js";
export type { SchematicOptions } from "./schematic-of.js";
export { exportSchematic } from "./schematic-of.js";
export { SchematicSchema } from "./schematic-schema.js";
