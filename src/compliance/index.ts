export type {
  ErasureCall,
  ErasureProgress,
  ErasureSink,
  ErasureSubject,
  ExportedValue,
  SinkErased,
} from "#core/ports/erasure.js";
export {
  type Category,
  type ClassificationLevel,
  Public,
  Sensitive,
  type SensitiveOptions,
} from "#core/secrets/sensitive.js";
export { type ClassifiedField, classify } from "./classes/classify.js";
export { type DetectOptions, detect, type PersonalFinding } from "./detection/detect.js";
export { PiiFault, PiiGuard, type PiiGuardMode, type PiiGuardOptions } from "./detection/pii-guard.js";
export { EncryptionHook, type EncryptionOptions } from "./encryption/encryption-hook.js";
export {
  keysInEnvironment,
  keysInFile,
  type MasterKeyProvider,
  type MasterKeys,
} from "./encryption/master-keys.js";
export {
  type Erasure,
  type ErasureOptions,
  type ErasureRequest,
  eraseSubject,
  type SinkErasure,
} from "./erasure/erase-subject.js";
export { type ExportLine, exportSubject } from "./erasure/export-subject.js";
