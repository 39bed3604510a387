export type { AccessLog, AnswerObserver, AnswerRecord } from "./answer-observer.js";
export { attempt } from "./attempt.js";
export { type AuditEntry, type AuditEvent, NO_HASH, type PlacedAuditEvent } from "./audit-event.js";
export type {
  AuditAnchor,
  AuditCheckpoints,
  AuditQuery,
  AuditRow,
  AuditSink,
  AuditSource,
  KeptCheckpoint,
  SubjectKeyStore,
} from "./audit-sink.js";
export { Bus, type BusView } from "./bus.js";
export { type AnyKey, type BusKey, busKey, type NameOfKey, type TypeOfKey } from "./bus-key.js";
export type { ByteSource } from "./byte-source.js";
export type { Clock } from "./clock.js";
export type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterSink,
  DeadLetterStore,
  UndoneStep,
} from "./dead-letter.js";
export {
  faultCodes,
  type GuardCode,
  guardCodes,
  type IdentityCode,
  type InspectorCode,
  identityCodes,
  inspectorCodes,
  type NodeCode,
  nodeCodes,
  type RefusalCode,
  type ReportCode,
  refusalCodes,
  reportCodes,
  type SessionCode,
  sessionCodes,
  type ThrownCode,
  thrownCodes,
  type UpstreamCode,
  upstreamCodes,
} from "./error-codes.js";
export { BusValueMissingError, FrameworkError } from "./errors.js";
export type { EventSource } from "./event.js";
export { type EmittedEvent, type EventKind, type EventSink, eventKind, isEvent } from "./event.js";
export { type AnyGuard, type Guard, type GuardDeclarations, guard } from "./guard.js";
export { headerLines, isHeaderValue } from "./header-syntax.js";
export { Html, html } from "./html.js";
export type { IamCounts, IamOptions } from "./iam-boundary.js";
export { IamError, type IamErrorKind } from "./iam-error.js";
export { IamIdentity, IamToken } from "./iam-identity.js";
export { IamPolicy } from "./iam-policy.js";
export type { ClaimValue, IamRule } from "./iam-rule.js";
export type { IamVerifier, Verification } from "./iam-verifier.js";
export {
  type IdempotencyClaim,
  type IdempotencyLease,
  type IdempotencyPolicy,
  type IdempotencyStore,
  IdempotentRequest,
  type KeptAnswer,
} from "./idempotency-store.js";
export {
  ClientIdentity,
  ClientIp,
  cookie,
  header,
  type IngressFact,
  OwnOrigin,
  PathParams,
  param,
  QueryParams,
  RequestHeaders,
  RequestId,
  RequestMethod,
  RequestOrigin,
  RequestPath,
  RequestQuery,
  RequestScheme,
  TraceContext,
  VerifiedIdentity,
} from "./ingress-facts.js";
export type { Json } from "./json-text.js";
export { type AnyLayer, authorize, type Decision, type Layer, layer } from "./layer.js";
export { FencingToken, type LockLease, type LockProvider } from "./lock.js";
export { FailureLog, Log, type LogWriter } from "./log.js";
export { type Cases, match } from "./match.js";
export { type Mode, mode } from "./mode.js";
export type { OriginRule } from "./origin-rules.js";
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
export type { RateLimit, RateLimitStore, RateLimitVerdict } from "./rate-limit-store.js";
export type {
  BusAccess,
  NodeCounts,
  NodeSpan,
  Recorder,
  RunAnswer,
  SynchronousTimes,
  TracedRequest,
  TracedRun,
  WatchedCircuit,
  WatchedNode,
  WatchLevel,
} from "./recorder.js";
export {
  type DataOf,
  type IntoReply,
  Reply,
  type ReplyFields,
  type ReplyHeaders,
  respond,
  type SetCookie,
} from "./reply.js";
export type { Report, Reporter } from "./reporter.js";
export type { CorsPolicy, Preflight } from "./response-facts.js";
export {
  AccessLogEntry,
  CorsHeaders,
  type HeaderFields,
  type LoggedValue,
  RateLimitHeaders,
  type ResponseHeaders,
  SecurityHeaders,
  type WrittenHeader,
  writtenHeader,
} from "./response-facts.js";
export type { RoomBus, RoomListener } from "./room-bus.js";
export {
  type CompletedStep,
  isKeptRunId,
  type RunEntry,
  RunEpoch,
  type RunFilter,
  RunId,
  type RunPosition,
  type RunStore,
  type UnfinishedRun,
} from "./run-store.js";
export {
  type BranchUnknown,
  type CheckpointFailed,
  type InputInvalid,
  isRuntimeFault,
  type JumpLimit,
  type LockTaken,
  type LockUnavailable,
  type OutputInvalid,
  type PoolClosed,
  type PoolFull,
  type PoolMemory,
  type RunAborted,
  type RunCancelled,
  type RunEnded,
  type RunIncompatible,
  type RunStuck,
  type RunTaken,
  type RuntimeFault,
  type RunUnknown,
  type StepTimeout,
  type TransitionPanic,
  type TransitionUndeclared,
  type ValueNotCloneable,
  type ValueNotDurable,
  type WorkerCrashed,
  type WorkerModuleFailed,
} from "./runtime-fault.js";
export type { SchemaError } from "./schema-error.js";
export type {
  BusCapability,
  DrawnExecutionMode,
  DrawnIam,
  DrawnPolicy,
  EdgeKind,
  NodeKind,
  Schematic,
  SchematicEdge,
  SchematicNode,
  SourceLocation,
} from "./schematic.js";
export { Secret } from "./secret.js";
export { Sensitive } from "./sensitive.js";
export { Session, SessionForgotten, SessionIssued, SessionLookup } from "./session.js";
export {
  REPLACED_MS,
  type RotatedParts,
  type SessionData,
  type SessionFound,
  type SessionRecord,
  type SessionStore,
} from "./session-store.js";
export { type Synapse, synapse } from "./synapse.js";
export { IsolationPolicy, TenantId, TenantResolver } from "./tenant.js";
export type { NodeOutcome, Timeline, TimelineEvent } from "./timeline.js";
export type { TraceMark } from "./trace-mark.js";
export {
  type AnyTransition,
  type Declarations,
  type Offload,
  type OffloadedTransition,
  type StepHeaders,
  type Transition,
  transition,
} from "./transition.js";
export {
  connectionOf,
  Rooms,
  type SendResult,
  type WebSocketClose,
  WebSocketConnection,
  type WebSocketSession,
} from "./web-socket.js";
