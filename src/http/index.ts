export type { Coding } from "./accept-encoding.js";
export type { CompressionOptions } from "./compression/compression-rules.js";
export { type CookieKey, CookieKeys } from "./cookies/cookie-keys.js";
export {
  encryptedCookie,
  type RefusedCookies,
  type SealedCookie,
  signedCookie,
} from "./cookies/sealed-cookie.js";
export { type CookieOptions, deleteCookie, setCookie } from "./cookies/set-cookie.js";
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
} from "./extractor.js";
export type { HealthCheckOptions } from "./health.js";
export { type HttpIngress, type HttpOptions, http, type ProvideOptions } from "./ingress.js";
export type { GroupOptions, RouteOptions, TestAppOptions } from "./ingress-types.js";
export type { MultipartOptions } from "./multipart/options.js";
export type { DiskFile, MemoryFile, Multipart, UploadedFile } from "./multipart/uploaded-file.js";
export {
  type CallOptions,
  HttpClient,
  type HttpClientOptions,
  type OutgoingBus,
} from "./outgoing/http-client.js";
export type { Query } from "./outgoing/target.js";
export { UpstreamError } from "./outgoing/upstream-error.js";
export type { RouteBuilder, RouteGroup } from "./route-builder.js";
export type { RouteIam, RouteIamInfo } from "./route-iam.js";
export type { RouteInfo, WebSocketInfo } from "./route-info.js";
export type { RunningServer } from "./server.js";
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
export type { WebSocketLimits } from "./websocket/limits.js";
export { workerRooms } from "./workers/worker-rooms.js";
