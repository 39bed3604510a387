export type { AuditEntry, AuditEvent, PlacedAuditEvent } from "#core/ports/audit-event.js";
export type {
  AuditAnchor,
  AuditCheckpoints,
  AuditQuery,
  AuditRow,
  AuditSink,
  AuditSource,
  KeptCheckpoint,
  SubjectKeyStore,
} from "#core/ports/audit-sink.js";
export type { AuditFailureMode } from "#core/ports/audit-use.js";
export { openArchive } from "./archive.js";
export { AuditLog, type AuditLogOptions } from "./audit-log.js";
export { fileAnchor, sinkAnchor, type WebhookAnchorOptions, webhookAnchor } from "./chain/anchors.js";
export type { AuditCheckpoint } from "./chain/checkpoint.js";
export { type AuditProof, proveEvent, wrongInProof } from "./chain/proof.js";
export {
  type AuditPublicKey,
  type AuditSigningKey,
  generateSigningKey,
  publicKeys,
  readPublicKeys,
  readSigningKey,
  signingKey,
} from "./chain/signing-key.js";
export type {
  AuditFailure,
  AuditFailureKind,
  AuditVerification,
  CheckpointMark,
} from "./chain/verification.js";
export { type VerifyOptions, verifyAudit } from "./chain/verify.js";
export { type Retained, type RetainOptions, retainAudit } from "./retain.js";
export { openedEvent, type SealedAuditOptions, sealedAudit } from "./sealed-audit.js";
export { type SignedAuditOptions, signedAudit } from "./signed-audit.js";
export { type FileAuditOptions, fileAuditSink } from "./sinks/file-audit-sink.js";
export { MemoryAuditSink } from "./sinks/memory-audit-sink.js";
export { MemorySubjectKeys } from "./sinks/memory-subject-keys.js";
