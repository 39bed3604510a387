export { attach } from "./attach.js";
export { describe, operationOf } from "./describe.js";
export { documentOf } from "./document.js";
export type {
  DocumentOptions,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOptions,
  OpenApiServer,
} from "./open-api-options.js";
export type { Content, Operation, OperationResponse, Parameter, ParameterPlace } from "./operation.js";
