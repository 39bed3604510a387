export {
  BearerAuth,
  type InspectorRole,
  type InspectorTokens,
  type VerifyToken,
} from "./door/bearer-auth.js";
