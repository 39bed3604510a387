// What an application needs, by name. The parts it comes from are entries of their
// own: framework/core, framework/runtime, framework/http, framework/std.

import { http } from "./http/index.js";

export { type Static, Type } from "@sinclair/typebox";
export {
  type AnyKey,
  Bus,
  type BusKey,
  type BusView,
  branch,
  busKey,
  cookie,
  type EmittedEvent,
  type EventKind,
  type EventSink,
  type EventSource,
  emit,
  eventKind,
  type Fault,
  FrameworkError,
  fault,
  header,
  type IntoProblemDetail,
  IsolationPolicy,
  isEvent,
  isFault,
  isNext,
  isRuntimeFault,
  jump,
  match,
  type Never,
  next,
  type Outcome,
  type Pass,
  PathParams,
  ProblemDetail,
  param,
  pass,
  QueryParams,
  type Recorder,
  type Report,
  type Reporter,
  RequestId,
  RequestMethod,
  RequestPath,
  type RuntimeFault,
  type Synapse,
  synapse,
  TenantId,
  TenantResolver,
  type Timeline,
  type TimelineEvent,
  type Transition,
  transition,
} from "./core/index.js";
export {
  bytes,
  combine,
  type Extractor,
  type HttpIngress,
  type HttpOptions,
  json,
  path,
  query,
  type RouteOptions,
  type RunningServer,
  text,
} from "./http/index.js";
export { routes } from "./macros/index.js";
export {
  Axon,
  type AxonInfo,
  DlqPolicy,
  type Done,
  MemoryDeadLetters,
  RetryPolicy,
  redrive,
  SagaPolicy,
} from "./runtime/index.js";

/** `Framework.http()` declares an HTTP server. */
export const Framework = { http } as const;
