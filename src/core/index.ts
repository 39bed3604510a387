export { Bus, type BusView } from "./bus/bus.js";
export { type AnyKey, type BusKey, busKey, type NameOfKey, type TypeOfKey } from "./bus/bus-key.js";
export type { EventSource } from "./bus/event.js";
export { type EmittedEvent, type EventKind, type EventSink, eventKind, isEvent } from "./bus/event.js";
export type { LabelFilter, LabelKey, RunLabels } from "./bus/label.js";
export { FailureLog, Log, type LogWriter } from "./bus/log.js";
export { type Cases, match } from "./bus/match.js";
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
} from "./bus/outcome.js";
export type { MaybePromise } from "./bus/outcome-types.js";
export { type IntoProblemDetail, ProblemDetail, type ProblemFields } from "./bus/problem-detail.js";
export {
  type DataOf,
  type IntoReply,
  Reply,
  type ReplyFields,
  type ReplyHeaders,
  respond,
  type SetCookie,
} from "./bus/reply.js";
export type { Report, Reporter } from "./bus/reporter.js";
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
  type RunLogFull,
  type RunOwned,
  type RunStuck,
  type RunTaken,
  type RuntimeFault,
  type RunUnknown,
  type RunWaiting,
  type StepTimeout,
  type TransitionPanic,
  type TransitionUndeclared,
  type ValueNotCloneable,
  type ValueNotDurable,
  type WaitTimeout,
  type WorkerCrashed,
  type WorkerModuleFailed,
} from "./bus/runtime-fault.js";
export type { SchemaError } from "./bus/schema-error.js";
export type { Clock } from "./clock.js";
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
} from "./facts/ingress-facts.js";
export type { CorsPolicy, Preflight } from "./facts/response-facts.js";
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
} from "./facts/response-facts.js";
export { IsolationPolicy, TenantId, TenantResolver } from "./facts/tenant.js";
export {
  connectionOf,
  type RoomSubscription,
  Rooms,
  type SendResult,
  type WebSocketClose,
  WebSocketConnection,
  type WebSocketSession,
} from "./facts/web-socket.js";
export { attempt } from "./flow/attempt.js";
export { type AnyGuard, type Guard, type GuardDeclarations, guard } from "./flow/guard.js";
export type { IamCounts, IamOptions } from "./flow/iam-boundary.js";
export { type AnyLayer, authorize, type Decision, type Layer, layer } from "./flow/layer.js";
export type {
  BusCapability,
  DrawnExecutionMode,
  DrawnIam,
  DrawnPolicy,
  DrawnWait,
  EdgeKind,
  NodeKind,
  Schematic,
  SchematicEdge,
  SchematicNode,
  SourceLocation,
} from "./flow/schematic.js";
export type { SignalKind } from "./flow/signal.js";
export { type Synapse, synapse } from "./flow/synapse.js";
export {
  type AnyTransition,
  type Declarations,
  type Offload,
  type OffloadedTransition,
  type StepHeaders,
  type Transition,
  transition,
} from "./flow/transition.js";
export { IamError, type IamErrorKind } from "./iam/iam-error.js";
export { IamIdentity, IamToken } from "./iam/iam-identity.js";
export { IamPolicy } from "./iam/iam-policy.js";
export type { ClaimValue, IamRule } from "./iam/iam-rule.js";
export type { IamVerifier, Verification } from "./iam/iam-verifier.js";
export { type Mode, mode } from "./mode.js";
export type { OriginRule } from "./net/origin-rules.js";
export type { AccessLog, AnswerObserver, AnswerRecord } from "./ports/answer-observer.js";
export { type AuditEntry, type AuditEvent, NO_HASH, type PlacedAuditEvent } from "./ports/audit-event.js";
export type {
  AuditAnchor,
  AuditCheckpoints,
  AuditQuery,
  AuditRow,
  AuditSink,
  AuditSource,
  KeptCheckpoint,
  SubjectKeyStore,
} from "./ports/audit-sink.js";
export type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterSink,
  DeadLetterStore,
  UndoneStep,
} from "./ports/dead-letter.js";
export type { HostRequest, HostRequestState, HostRequestStore } from "./ports/host-requests.js";
export {
  type IdempotencyClaim,
  type IdempotencyLease,
  type IdempotencyPolicy,
  type IdempotencyStore,
  IdempotentRequest,
  type KeptAnswer,
} from "./ports/idempotency-store.js";
export { FencingToken, type LockLease, type LockProvider } from "./ports/lock.js";
export type { RateLimit, RateLimitStore, RateLimitVerdict } from "./ports/rate-limit-store.js";
export type { RoomBus, RoomListener } from "./ports/room-bus.js";
export {
  type CompletedStep,
  type HostFacts,
  type HostLease,
  isKeptRunId,
  type RunCancelRequest,
  type RunCount,
  type RunEntry,
  RunEpoch,
  type RunFilter,
  RunId,
  type RunOwnership,
  type RunPosition,
  type RunStore,
  type StandingLease,
  type StandingLeaseOptions,
  type UnfinishedRun,
  UnreadableLog,
} from "./ports/run-store.js";
export { Session, SessionForgotten, SessionIssued, SessionLookup } from "./ports/session.js";
export {
  REPLACED_MS,
  type RotatedParts,
  type SessionData,
  type SessionFound,
  type SessionOrigin,
  type SessionRecord,
  type SessionStore,
} from "./ports/session-store.js";
export { Secret } from "./secrets/secret.js";
export {
  type Category,
  type ClassificationLevel,
  Public,
  Sensitive,
  type SensitiveOptions,
} from "./secrets/sensitive.js";
export type {
  BodyState,
  BusAccess,
  NodeCounts,
  NodeSpan,
  Recorder,
  RequestParts,
  ResponseParts,
  RunAnswer,
  RunCounts,
  SynchronousTimes,
  TracedRequest,
  TracedRun,
  WatchedCircuit,
  WatchedNode,
  WatchLevel,
} from "./timeline/recorder.js";
export type { NodeOutcome, Timeline, TimelineEvent, WaitReason } from "./timeline/timeline.js";
export type { TraceMark } from "./timeline/trace-mark.js";
export type { ByteSource } from "./wire/byte-source.js";
export { headerLines, isHeaderValue } from "./wire/header-syntax.js";
export { Html, html } from "./wire/html.js";
export type { Json } from "./wire/json-text.js";
