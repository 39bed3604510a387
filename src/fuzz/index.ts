// framework/fuzz: requests generated from the schemas of an application, and tests that send them again.

export type { FuzzedApplication } from "./application.js";
export type { Limits as FuzzLimits } from "./begun-application.js";
export {
  type FuzzedCount,
  type FuzzFailure,
  type FuzzOptions,
  type FuzzProgress,
  type FuzzReport,
  fuzz,
} from "./fuzz.js";
export type { FuzzIdentities, FuzzIdentity } from "./fuzz-identity.js";
export type { FuzzPart, FuzzRequest } from "./fuzz-request.js";
export { type EffectOptions, type ReplayOptions, replay } from "./replay.js";
