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
export { MemoryAuditSink } from "./memory-audit-sink.js";
