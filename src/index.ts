// What an application needs, by name. The parts it comes from are entries of their
// own: framework/core, framework/runtime, framework/http, framework/std. Named here are
// their modules, because the bundle of an entry has the testing kit and more with it.

import { http } from "./framework-ingress.js";

export { type Static, Type } from "@sinclair/typebox";
export { ConfigError, type ConfigMistake } from "#config/mistake.js";
export type { AnswerRecord } from "#core/answer-observer.js";
export { attempt } from "#core/attempt.js";
export { Bus, type BusView } from "#core/bus.js";
export { type AnyKey, type BusKey, busKey } from "#core/bus-key.js";
export type { ByteSource } from "#core/byte-source.js";
export { FrameworkError } from "#core/errors.js";
export type { EventSource } from "#core/event.js";
export { type EmittedEvent, type EventKind, type EventSink, eventKind, isEvent } from "#core/event.js";
export { type Guard, guard } from "#core/guard.js";
export { headerLines, isHeaderValue } from "#core/header-syntax.js";
export { Html, html } from "#core/html.js";
export { IamError } from "#core/iam-error.js";
export { IamIdentity, IamToken } from "#core/iam-identity.js";
export { IamPolicy } from "#core/iam-policy.js";
export type { IamVerifier } from "#core/iam-verifier.js";
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
} from "#core/ingress-facts.js";
export { authorize, type Layer, layer } from "#core/layer.js";
export { FencingToken } from "#core/lock.js";
export { Log, type LogWriter } from "#core/log.js";
export { match } from "#core/match.js";
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
} from "#core/outcome.js";
export { type IntoProblemDetail, ProblemDetail } from "#core/problem-detail.js";
export type { Recorder, TracedRun, WatchedCircuit, WatchLevel } from "#core/recorder.js";
export { type IntoReply, Reply, respond, type SetCookie } from "#core/reply.js";
export type { Report, Reporter } from "#core/reporter.js";
export { AccessLogEntry, RateLimitHeaders, SecurityHeaders, writtenHeader } from "#core/response-facts.js";
export { RunEpoch, RunId } from "#core/run-store.js";
export { isRuntimeFault, type RuntimeFault } from "#core/runtime-fault.js";
export { Secret } from "#core/secret.js";
export { Sensitive } from "#core/sensitive.js";
export { Session } from "#core/session.js";
export { type Synapse, synapse } from "#core/synapse.js";
export { IsolationPolicy, TenantId, TenantResolver } from "#core/tenant.js";
export type { Timeline, TimelineEvent } from "#core/timeline.js";
export { type Transition, transition } from "#core/transition.js";
export {
  connectionOf,
  Rooms,
  type WebSocketClose,
  WebSocketConnection,
  type WebSocketSession,
} from "#core/web-socket.js";
export { CookieKeys } from "#http/cookies/cookie-keys.js";
export { encryptedCookie, signedCookie } from "#http/cookies/sealed-cookie.js";
export { deleteCookie, setCookie } from "#http/cookies/set-cookie.js";
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
} from "#http/extractor.js";
export type { HttpOptions } from "#http/ingress.js";
export type { RouteOptions } from "#http/ingress-types.js";
export { HttpClient } from "#http/outgoing/http-client.js";
export { UpstreamError } from "#http/outgoing/upstream-error.js";
export type { RunningServer } from "#http/server.js";
export { EventChannel } from "#http/sse/event-channel.js";
export type { ServerEvent } from "#http/sse/event-text.js";
export type { TlsOptions, TlsPair } from "#http/tls/tls-options.js";
export type { WebSocketFlow } from "#http/websocket/flow.js";
export { BearerAuth } from "#inspector/door/bearer-auth.js";
export type { InspectorOptions } from "#inspector/settings.js";
export { routes } from "#macros/routes.js";
export { type WorkerModule, workerModule } from "#pool/worker-module.js";
export { workerTransition } from "#pool/worker-transition.js";
export { Axon } from "#runtime/axon.js";
export type { Budget } from "#runtime/axon-definition.js";
export type { AxonInfo } from "#runtime/axon-types.js";
export { DlqPolicy } from "#runtime/dlq-policy.js";
export { ExecutionMode } from "#runtime/execution-mode.js";
export { MemoryDeadLetters } from "#runtime/memory-dead-letters.js";
export { MemoryLocks } from "#runtime/memory-locks.js";
export { MemoryRuns } from "#runtime/memory-runs.js";
export { MigrationStrategy } from "#runtime/migration.js";
export { redrive, redriveAll } from "#runtime/redrive.js";
export { hasCode, RetryPolicy } from "#runtime/retry-policy.js";
export { type Done, SagaPolicy } from "#runtime/saga-policy.js";
export { openAudit } from "#store/open-audit.js";
export { openStores, Stores, type StoresOptions } from "#store/stores.js";
export type { Logging } from "#telemetry/logger.js";
export { Counter, Histogram } from "#telemetry/metrics/own-metrics.js";
export type { Telemetry } from "#telemetry/telemetry.js";
export { FrameworkConfig } from "./framework-config.js";
export type { FrameworkIngress as HttpIngress } from "./framework-ingress.js";

/** `Framework.http()` declares an HTTP server. */
export const Framework = { http } as const;
