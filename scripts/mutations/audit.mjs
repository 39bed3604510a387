// Lines of audit logs. mutate.mjs says what a row is.

const ATTACKS = "native-tests/heavy/audit/sql-attacks.test.ts";
const SIGNED = "native-tests/audit/signed-audit.test.ts";
const PROOF = "native-tests/audit/chain/proof.test.ts";
const FILES = "native-tests/audit/sinks/audit-files.test.ts";
const RETENTION = "native-tests/audit/retention.test.ts";
const MEMORY = "native-tests/audit/sinks/memory-audit-sink.test.ts";
const SQL = "native-tests/store/sql/sql-audit.test.ts";

export default [
  [
    "audit: metadata is stored as canonical JSON",
    "src/audit/event/audit-row.ts",
    "isObject && canonicalJson(parsed as Json) === metadata",
    "isObject",
    ATTACKS,
  ],
  [
    "audit: a checkpoint is compared with the events before it",
    "src/audit/chain/event-chain.ts",
    "if (!this.#hasFailed && last >= first &&",
    "if (this.#hasFailed && last >= first &&",
    ATTACKS,
  ],
  [
    "audit: an edited event is told",
    "src/audit/chain/event-chain.ts",
    "hashOf(row.event) !== hash",
    "false",
    FILES,
  ],
  [
    "audit: rows may be missing at the beginning alone, and as far as it is signed",
    "src/audit/chain/event-chain.ts",
    "this.events > 0 || last > this.#archived",
    "last > this.#archived && this.events > 0",
    RETENTION,
  ],
  [
    "audit: a replaced key signs nothing",
    "src/audit/chain/checkpoint-chain.ts",
    "this.#retired.add(former);",
    "",
    SIGNED,
  ],
  [
    "audit: a rotation is signed by the former key",
    "src/audit/chain/signer.ts",
    "isRotated ? [key, previousKey] : [key]",
    "[key]",
    SIGNED,
  ],
  [
    "audit: what was changed before it was signed is not signed",
    "src/audit/chain/segment.ts",
    "hashOf(event) !== event.hash",
    "false",
    SIGNED,
  ],
  [
    "audit: an anchor that never answers is called once",
    "src/audit/chain/anchored.ts",
    'if (this.#pending) throw new Error("an earlier call has not been answered");',
    "",
    SIGNED,
  ],
  [
    "audit: a proof is of one place",
    "src/audit/chain/merkle.ts",
    "if (index >= size) return undefined;",
    "",
    PROOF,
  ],
  [
    "audit files: what a crash left behind the last line break is cut",
    "src/audit/sinks/file-audit-sink.ts",
    "await truncate(auditFile(this.#folder, number), end);",
    "",
    FILES,
  ],
  [
    "audit files: a lock of a process that runs is not taken",
    "src/audit/sinks/writer-lock.ts",
    "if (isRunning(pid) && holderOf(pid).start === start)",
    "if (false)",
    FILES,
  ],
  [
    "audit: an entry with the id of another is refused",
    "src/audit/event/unlinked-event.ts",
    "if (differs === undefined) return kept;",
    "return kept;",
    MEMORY,
  ],
  [
    "audit in SQLite: an id is kept once",
    "src/store/sqlite/sqlite-thread.ts",
    "if (kept.length > 0) return { rows: [kept, []] };",
    "",
    SQL,
  ],
];
