import { MemoryAuditSink } from "framework/audit";
import { auditSinkContract } from "framework/testing/contracts";

auditSinkContract("memory", () => new MemoryAuditSink());
