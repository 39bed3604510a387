import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

import { fileAuditSink } from "framework/audit";
import { auditSinkContract } from "framework/testing/contracts";

const folder = mkdtempSync(join(tmpdir(), "audit-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
const open = (maxBytes: number) => {
  opened += 1;
  return fileAuditSink(join(folder, String(opened)), { maxBytes });
};

auditSinkContract("files", () => open(1_000_000));
auditSinkContract("files of 1 KiB", () => open(1024));
