export { contentDisposition } from "./answer/content-disposition.js";
export { type CookieKey, CookieKeys } from "./answer/cookies/cookie-keys.js";
export {
  encryptedCookie,
  type RefusedCookies,
  type SealedCookie,
  signedCookie,
} from "./answer/cookies/sealed-cookie.js";
export { type CookieOptions, deleteCookie, setCookie } from "./answer/cookies/set-cookie.js";
export type { ByteStream } from "./exchange/body-stream.js";
export { type HttpIngress, type HttpOptions, http, type ProvideOptions } from "./ingress/ingress.js";
export type { RouteBuilder, RouteGroup } from "./ingress/route-builder.js";
export {
  bytes,
  combine,
  cookie,
  type ExtractedOf,
  type Extractor,
  form,
  header,
  json,
  multipart,
  path,
  query,
  stream,
  text,
} from "./input/extractor.js";
export type { FileOptions } from "./input/multipart/named-files.js";
export type { MultipartOptions } from "./input/multipart/options.js";
export type { DiskFile, MemoryFile, Multipart, UploadedFile } from "./input/multipart/uploaded-file.js";
export {
  type CallOptions,
  HttpClient,
  type HttpClientOptions,
  type OutgoingBus,
} from "./outgoing/http-client.js";
export type { Query } from "./outgoing/target.js";
export { UpstreamError } from "./outgoing/upstream-error.js";
export type { Coding, CompressionOptions } from "./plan/compression-rules.js";
export type { HealthCheckOptions } from "./plan/health-check.js";
export type { GroupOptions, RouteOptions, TestAppOptions } from "./plan/ingress-types.js";
export type { RouteIam, RouteIamInfo } from "./plan/route-iam.js";
export type { RouteInfo, WebSocketInfo } from "./plan/route-info.js";
export type { WebSocketLimits } from "./plan/web-socket-limits.js";
export type { AllowSignal, SignalledRun } from "./serving/run-signal.js";
export type { RunningServer } from "./serving/server.js";
export { workerRooms } from "./serving/workers/worker-rooms.js";
export type { EventSubscription, SubscribeOptions } from "./sse/channel-client.js";
export {
  type ChannelEvent,
  type ChannelStats,
  EventChannel,
  type EventChannelOptions,
} from "./sse/event-channel.js";
export type { EventLabels } from "./sse/event-history.js";
export type { EventFlowAnswer, EventOptions } from "./sse/event-route.js";
export type { ServerEvent } from "./sse/event-text.js";
export type { ServerEvents, ServerEventsContext } from "./sse/server-events.js";
export type { FileCacheOptions, ServeDirOptions } from "./static/folder-options.js";
export type { SpaFallbackOptions } from "./static/static-plan.js";
export { TestApp } from "./testing/test-app.js";
export type { TestClient } from "./testing/test-client.js";
export type { ReadEvent, TestEvents } from "./testing/test-events.js";
export type { TestParameters, TestPieces, TestRequest } from "./testing/test-request.js";
export { type ProblemDocument, TestResponse } from "./testing/test-response.js";
export { HandshakeRefused, type TestHandshake, type TestSocket } from "./testing/test-socket.js";
export type { TestStream } from "./testing/test-stream.js";
export type { TlsOptions, TlsPair } from "./tls/tls-options.js";
export type { WebSocketFlow, WebSocketRouteOptions } from "./websocket/flow.js";
