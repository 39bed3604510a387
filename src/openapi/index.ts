export { attach } from "./attach.js";
export { breaks } from "./compared-documents.js";
export { type Described, describe, described, operationOf } from "./describe.js";
export { documentOf } from "./document.js";
export type {
  DocumentOptions,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOptions,
  OpenApiServer,
} from "./open-api-options.js";
export type {
  Content,
  Operation,
  OperationResponse,
  Parameter,
  ParameterPlace,
  RequestBody,
} from "./operation.js";
