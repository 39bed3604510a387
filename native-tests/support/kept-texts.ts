// A store with a row for each column of texts, all of which have the word "migraine".

import type { Codec } from "#core/ports/codec.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { secretPlace } from "#store/sql/places.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { SqlDeadLetters } from "#store/sql/sql-dead-letters.js";
import { SqlIdempotency } from "#store/sql/sql-idempotency.js";
import { SqlRequests } from "#store/sql/sql-requests.js";
import { SqlSessions } from "#store/sql/sql-sessions.js";
import { SqlSubjectKeys } from "#store/subjects/sql-subject-keys.js";

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

export const begun: RunEntry = {
  ...{ kind: "begun", at: 1, axon: "visits", version: "1.0.0", node: "visits/1" },
  ...{ input: "migraine", bus: {}, jumps: 0, subject: "hash-of-ann" },
};

export function textStores(database: SqlDatabase, codec: Codec) {
  const runs = new SqlRuns(database, codec);
  const letters = new SqlDeadLetters(database, codec);
  const sessions = new SqlSessions(database, codec);
  const keys = new SqlIdempotency(database, codec);
  const secrets = new SqlSubjectKeys(database, codec, "keys");
  const requests = new SqlRequests(database, codec);

  async function fill(id: string): Promise<void> {
    await database.open();
    await codec.open?.();
    await runs.append(id, 0, [begun], "gone");
    await runs.waits.signal(id, { name: "ok", payload: "migraine", id: "1", actor: "migraine" });
    await runs.append(id, 1, [{ kind: "ended", at: 2, output: "migraine" }], "gone");
    await runs.append(`open-${id}`, 0, [{ ...begun, labels: { note: "migraine" } }], "gone");
    await runs.requestCancel(`open-${id}`, { reason: "migraine", at: 1 });
    await runs.markUnfit(`open-${id}`, 1, { release: "r1", reason: "migraine" });
    await letters.send({
      ...{
        id,
        kind: "step",
        axon: "visits",
        version: "1",
        node: "visits/1",
        input: "migraine",
        error: "migraine",
      },
      ...{ timeline: undefined, undone: [], failed_at: 1, attempts: 1, subject: "hash-of-ann" },
    });
    await sessions.create(
      id,
      {
        ...{
          owner: "hash-of-ann",
          identity: { subject: "migraine", roles: [], claims: {} },
          csrfSecret: "s",
        },
        ...{ data: { note: "migraine" }, version: 1, createdAt: NOW + id.length },
        ...{ expiresAt: NOW + HOUR, idleUntil: NOW + HOUR },
      },
      NOW,
    );
    const claimed = await keys.claim(id, "f", HOUR, "hash-of-ann");
    if (claimed.kind === "first")
      await keys.keep(claimed.lease, { status: 200, headers: "", body: Buffer.from("migraine") }, HOUR);
    const secret = codec.encode("migraine", secretPlace(id));
    const insert = `INSERT INTO ${database.tables.subject_key} (pseudonym, secret, key_id) VALUES ($1, $2, $3)`;
    await database.write([{ sql: insert, values: [id, secret.text, secret.keyId] }]);
    const request = {
      kind: "clear",
      target: "t",
      host: "h",
      by: "cli",
      reason: "migraine",
      payload: ["migraine"],
    };
    for (const of of [id, `open-${id}`]) await requests.ask({ ...request, id: of }, HOUR);
    await requests.answer(id, "h", { note: "migraine" });
  }

  const openOf = async (id: string) => (await requests.open("h", 10)).find((each) => each.id.endsWith(id));

  /** What each column of TEXT_COLUMNS is read as. Those of an open run and request are of `open-ID`. */
  const reads: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    "run_part.entries": async (id) => runs.read(id),
    "run.cancel": async (id) => (await runs.ownership(id))?.cancel,
    "run.unfit": async (id) => (await runs.glance(id))?.unfit,
    "run_label.kept": async (id) => (await runs.unfinished({ id }))[0]?.labels,
    "run_signal.payload": async (id) => runs.waits.signals(id, ["ok"]),
    "letter.letter": (id) => letters.get(id),
    "session.login": (id) => sessions.find(id, NOW),
    "session.data": (id) => sessions.find(id, NOW),
    "idempotency.answer": async (id) => {
      const found = await keys.claim(id, "f", HOUR);
      return found.kind === "kept" && Buffer.from(found.answer?.body ?? "").toString();
    },
    "subject_key.secret": async (id) => Buffer.from((await secrets.find(id)) ?? []).toString("base64url"),
    "request.reason": async (id) => (await openOf(id))?.reason,
    "request.payload": async (id) => (await openOf(id))?.payload,
    "request.answer": (id) => Promise.resolve(requests.state(id)),
  };
  return { fill, reads, runs, sessions };
}

/** Each text of each table, of all columns. */
export async function allTexts({ tables, dialect, read }: SqlDatabase): Promise<string> {
  const texts: string[] = [];
  for (const table of Object.values(tables)) {
    const rows = await read(`SELECT * FROM ${table}`, []);
    texts.push(`${dialect.name} ${table} ${JSON.stringify(rows)}`);
  }
  return texts.join("\n");
}
