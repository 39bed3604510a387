export type { AuditEntry, AuditEvent, PlacedAuditEvent } from "#core/audit-event.js";
export type {
  AuditAnchor,
  AuditCheckpoints,
  AuditQuery,
  AuditRow,
  AuditSink,
  AuditSource,
  KeptCheckpoint,
  SubjectKeyStore,
} from "#core/audit-sink.js";
export type { AuditFailureMode } from "#core/audit-use.js";
export { fileAnchor, sinkAnchor, type WebhookAnchorOptions, webhookAnchor } from "./anchors.js";
export { openArchive } from "./archive.js";
export { AuditLog, type AuditLogOptions } from "./audit-log.js";
export type { AuditCheckpoint } from "./checkpoint.js";
export { type FileAuditOptions, fileAuditSink } from "./file-audit-sink.js";
export { MemoryAuditSink } from "./memory-audit-sink.js";
export { MemorySubjectKeys } from "./memory-subject-keys.js";
export { type AuditProof, proveEvent, wrongInProof } from "./proof.js";
export { type Retained, type RetainOptions, retainAudit } from "./retain.js";
export { openedEvent, type SealedAuditOptions, sealedAudit } from "./sealed-audit.js";
export { type SignedAuditOptions, signedAudit } from "./signed-audit.js";
export {
  type AuditPublicKey,
  type AuditSigningKey,
  generateSigningKey,
  publicKeys,
  readPublicKeys,
  readSigningKey,
  signingKey,
} from "./signing-key.js";
export type { AuditFailure, AuditFailureKind, AuditVerification, CheckpointMark } from "./verification.js";
export { type VerifyOptions, verifyAudit } from "./verify.js";
