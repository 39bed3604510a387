// What an application needs, by name. The parts it comes from are entries of their
// own: framework/core, framework/runtime, framework/http, framework/std. Named here are
// their modules, because the bundle of an entry has the testing kit and more with it.

import { http } from "./framework-ingress.js";

export { type Static, Type } from "@sinclair/typebox";
export { ConfigError, type ConfigMistake } from "#config/mistake.js";
export { Bus, type BusView } from "#core/bus/bus.js";
export { type AnyKey, type BusKey, busKey } from "#core/bus/bus-key.js";
export type { EventSource } from "#core/bus/event.js";
export { type EmittedEvent, type EventKind, type EventSink, eventKind, isEvent } from "#core/bus/event.js";
export type { RunLabels } from "#core/bus/label.js";
export { Log, type LogWriter } from "#core/bus/log.js";
export { match } from "#core/bus/match.js";
export {
  branch,
  emit,
  type Fault,
  fault,
  isFault,
  isNext,
  jump,
  type Never,
  next,
  type Outcome,
  type Pass,
  pass,
} from "#core/bus/outcome.js";
export { type IntoProblemDetail, ProblemDetail } from "#core/bus/problem-detail.js";
export { type IntoReply, Reply, respond, type SetCookie } from "#core/bus/reply.js";
export type { Report, Reporter } from "#core/bus/reporter.js";
export { isRuntimeFault, type RuntimeFault } from "#core/bus/runtime-fault.js";
export { FrameworkError } from "#core/errors.js";
export {
  ClientIdentity,
  ClientIp,
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
} from "#core/facts/ingress-facts.js";
export {
  AccessLogEntry,
  RateLimitHeaders,
  SecurityHeaders,
  writtenHeader,
} from "#core/facts/response-facts.js";
export { IsolationPolicy, TenantId, TenantResolver } from "#core/facts/tenant.js";
export {
  connectionOf,
  Rooms,
  type WebSocketClose,
  WebSocketConnection,
  type WebSocketSession,
} from "#core/facts/web-socket.js";
export { attempt } from "#core/flow/attempt.js";
export { type Guard, guard } from "#core/flow/guard.js";
export { authorize, type Layer, layer } from "#core/flow/layer.js";
export type { SignalKind } from "#core/flow/signal.js";
export { type Synapse, synapse } from "#core/flow/synapse.js";
export { type Transition, transition } from "#core/flow/transition.js";
export { IamError } from "#core/iam/iam-error.js";
export { IamIdentity, IamToken } from "#core/iam/iam-identity.js";
export { IamPolicy } from "#core/iam/iam-policy.js";
export type { IamVerifier } from "#core/iam/iam-verifier.js";
export type { AnswerRecord } from "#core/ports/answer-observer.js";
export { FencingToken } from "#core/ports/lock.js";
export { RunEpoch, RunId } from "#core/ports/run-store.js";
export { Session } from "#core/ports/session.js";
export { Secret } from "#core/secrets/secret.js";
export {
  type Category,
  type ClassificationLevel,
  Public,
  Sensitive,
  type SensitiveOptions,
} from "#core/secrets/sensitive.js";
export type { Recorder, TracedRun, WatchedCircuit, WatchLevel } from "#core/timeline/recorder.js";
export type { Timeline, TimelineEvent } from "#core/timeline/timeline.js";
export type { ByteSource } from "#core/wire/byte-source.js";
export { headerLines, isHeaderValue } from "#core/wire/header-syntax.js";
export { Html, html } from "#core/wire/html.js";
export { contentDisposition } from "#http/answer/content-disposition.js";
export { CookieKeys } from "#http/answer/cookies/cookie-keys.js";
export { encryptedCookie, signedCookie } from "#http/answer/cookies/sealed-cookie.js";
export { deleteCookie, setCookie } from "#http/answer/cookies/set-cookie.js";
export type { HttpOptions } from "#http/ingress/ingress.js";
export {
  bytes,
  combine,
  cookie,
  type Extractor,
  form,
  header,
  json,
  multipart,
  path,
  query,
  stream,
  text,
} from "#http/input/extractor.js";
export { HttpClient } from "#http/outgoing/http-client.js";
export { UpstreamError } from "#http/outgoing/upstream-error.js";
export type { RouteOptions } from "#http/plan/ingress-types.js";
export type { RunningServer } from "#http/serving/server.js";
export { EventChannel } from "#http/sse/event-channel.js";
export type { ServerEvent } from "#http/sse/event-text.js";
export type { TlsOptions, TlsPair } from "#http/tls/tls-options.js";
export type { WebSocketFlow } from "#http/websocket/flow.js";
export { BearerAuth } from "#inspector/door/bearer-auth.js";
export type { InspectorOptions } from "#inspector/settings.js";
export { routes } from "#macros/routes.js";
export { type WorkerModule, workerModule } from "#pool/worker-module.js";
export { workerTransition } from "#pool/worker-transition.js";
export type {
  Advanced,
  AdvanceOptions,
  AdvanceStart,
  AdvanceWaits,
  AdvanceWoken,
  LogEntry,
} from "#runtime/axon/advance-types.js";
export { Axon } from "#runtime/axon/axon.js";
export type { AxonInfo } from "#runtime/axon/axon-types.js";
export { redrive, redriveAll } from "#runtime/axon/redrive.js";
export { childRun } from "#runtime/axon/waiting-steps.js";
export type { Budget } from "#runtime/definition/axon-definition.js";
export { MigrationStrategy } from "#runtime/definition/axon-definition.js";
export { DlqPolicy } from "#runtime/definition/dlq-policy.js";
export { ExecutionMode } from "#runtime/definition/execution-mode.js";
export { hasCode, RetryPolicy } from "#runtime/definition/retry-policy.js";
export { type Done, SagaPolicy } from "#runtime/definition/saga-policy.js";
export { signal } from "#runtime/definition/signal.js";
export { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
export { MemoryLocks } from "#runtime/kept/memory-locks.js";
export { MemoryRuns } from "#runtime/kept/memory-runs.js";
export { openAudit } from "#store/open-audit.js";
export { openStores, type StoreAddresses, Stores, type StoresOptions } from "#store/stores.js";
export type { Logging } from "#telemetry/logging/logger.js";
export { Counter, Histogram } from "#telemetry/metrics/own-metrics.js";
export type { Telemetry } from "#telemetry/telemetry.js";
export { FrameworkConfig } from "./framework-config.js";
export type { FrameworkIngress as HttpIngress } from "./framework-ingress.js";

/** `Framework.http()` declares an HTTP server. */
export const Framework = { http } as const;
