export { Bus, type BusView } from "./bus.js";
export { type AnyKey, type BusKey, busKey, type NameOfKey, type TypeOfKey } from "./bus-key.js";
export type { Clock } from "./clock.js";
export type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterSink,
  DeadLetterStore,
} from "./dead-letter.js";
export {
  faultCodes,
  type NodeCode,
  nodeCodes,
  type RefusalCode,
  type ReportCode,
  refusalCodes,
  reportCodes,
  type ThrownCode,
  thrownCodes,
} from "./error-codes.js";
export { BusValueMissingError, FrameworkError } from "./errors.js";
export { type EmittedEvent, type EventKind, type EventSink, eventKind, isEvent } from "./event.js";
export type { EventSource } from "./event-source.js";
export {
  cookie,
  header,
  type IngressFact,
  PathParams,
  param,
  QueryParams,
  RequestId,
  RequestMethod,
  RequestPath,
} from "./ingress-facts.js";
export { type Cases, match } from "./match.js";
export { type Mode, mode } from "./mode.js";
export {
  type Branch,
  branch,
  Control,
  type Emit,
  emit,
  type Fault,
  fault,
  isBranch,
  isEmit,
  isFault,
  isJump,
  isNext,
  type Jump,
  jump,
  type Never,
  next,
  type Outcome,
  type Pass,
  pass,
} from "./outcome.js";
export type { MaybePromise } from "./outcome-types.js";
export { type IntoProblemDetail, ProblemDetail, type ProblemFields } from "./problem-detail.js";
export type {
  NodeCounts,
  Recorder,
  TracedRun,
  WatchedCircuit,
  WatchedNode,
  WatchLevel,
} from "./recorder.js";
export type { Report, Reporter } from "./reporter.js";
export {
  type BranchUnknown,
  type InputInvalid,
  isRuntimeFault,
  type JumpLimit,
  type OutputInvalid,
  type RunAborted,
  type RuntimeFault,
  type StepTimeout,
  type TransitionPanic,
  type TransitionUndeclared,
} from "./runtime-fault.js";
export type { SchemaError } from "./schema-error.js";
export type {
  BusCapability,
  EdgeKind,
  NodeKind,
  Schematic,
  SchematicEdge,
  SchematicNode,
  SourceLocation,
} from "./schematic.js";
export { type Synapse, synapse } from "./synapse.js";
export { IsolationPolicy, TenantId, TenantResolver } from "./tenant.js";
export type { NodeOutcome, Timeline, TimelineEvent } from "./timeline.js";
export { type AnyTransition, type Declarations, type Transition, transition } from "./transition.js";
