export {
  bytes,
  combine,
  type ExtractedOf,
  type Extractor,
  json,
  path,
  query,
  text,
} from "./extractor.js";
export { type HttpIngress, type HttpOptions, http, type ProvideOptions } from "./ingress.js";
export type { RouteOptions } from "./ingress-types.js";
export type { RunningServer } from "./server.js";
export { TestApp, type TestRequest } from "./testing/test-app.js";
export { type ProblemDocument, TestResponse } from "./testing/test-response.js";
