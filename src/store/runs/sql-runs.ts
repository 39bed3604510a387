import type { MaybePromise } from "#core/bus/outcome-types.js";
import { FrameworkError } from "#core/errors.js";
import type { Codec } from "#core/ports/codec.js";
import {
  type Appended,
  type HostFacts,
  LONGEST_RETRY_MS,
  type RunCount,
  type RunEntry,
  type RunFilter,
  type RunStore,
  UnreadableLog,
} from "#core/ports/run-store.js";
import { livingHosts } from "../sql/living-hosts.js";
import { encodedPair, entriesPlace, runPlace, subjectColumn } from "../sql/places.js";
import { columnValues, RUN_STATE } from "../sql/run-columns.js";
import { Service } from "../sql/service.js";
import type { Appended as AppendedTo, Row, SqlDatabase, SqlValue, Statement } from "../sql/sql-database.js";
import { isParked, waitIn } from "../sql/wait-columns.js";
import { AskedTogether } from "./asked-together.js";
import { forgetRuns } from "./forgotten-runs.js";
import { ListedRows } from "./listed-rows.js";
import { fitsRelease, isOfAxons } from "./run-fitting.js";
import { labelRows, termsOf } from "./run-labels.js";
import { deletedParts, RunRows, STATES } from "./run-rows.js";
import { SqlRunList } from "./sql-run-list.js";
import { SqlWaits } from "./sql-waits.js";

/** Length of a reason that is kept. */
const MAX_REASON = 2000;
/** Number of releases that are known to be unfit for a run: those of a rolling deployment, and a few before. */
const MAX_RELEASES = 4;

/** Logs of runs in a database: one row a run, one more for each append. */
export class SqlRuns implements RunStore {
  readonly findsLabels = true;
  readonly waits: SqlWaits;
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #service: Service;
  readonly #rows: RunRows;
  readonly #logs: AskedTogether;
  readonly #glances: AskedTogether;
  readonly #beginnings: AskedTogether;
  readonly #listed: ListedRows;
  readonly #list: SqlRunList;

  constructor(database: SqlDatabase, codec: Codec, service = new Service(database)) {
    this.#database = database;
    this.#codec = codec;
    this.#service = service;
    this.#rows = new RunRows(database, codec);
    const { run, run_part: part } = database.tables;
    this.#logs = new AskedTogether(
      database,
      (ids) => `SELECT r.id, p.known, p.entries, p.key_id FROM ${run} r JOIN ${part} p ON p.run = r.seq
        WHERE r.id IN ${ids} ORDER BY p.run, p.known`,
    );
    this.#glances = new AskedTogether(database, glanceSql(run, part, "-1"));
    const oldest = `(SELECT min(known) FROM ${part} WHERE run = r.seq)`;
    this.#beginnings = new AskedTogether(database, glanceSql(run, part, oldest));
    this.#listed = new ListedRows(database, codec, service, this.#rows);
    this.#list = new SqlRunList(database, codec, service, this.#listed);
    this.waits = new SqlWaits(database, codec, service);
  }

  readonly append: RunStore["append"] = async (id, known, entries, by) => {
    const [first] = entries;
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return (await this.#knownOf(id)) === known;
    if (known === 0 && first.kind !== "begun") {
      if ((await this.#knownOf(id)) > 0) return false;
      throw new TypeError(`The log of run '${id}' begins with '${first.kind}'`);
    }
    const text = JSON.stringify(entries);
    const encoded = this.#codec.encode(text, entriesPlace(id, known));
    const subject = first.kind === "begun" ? first.subject : undefined;
    const labels = entries.findLast((entry) => entry.labels !== undefined)?.labels;
    const appended = await this.#database.append({
      ...(labels && { labels: labelRows(this.#codec, id, labels) }),
      ...{ id, known, entries: encoded.text, keyId: encoded.keyId },
      ...(first.kind === "begun" && first.continues !== undefined && { replaces: true }),
      columns: columnValues({
        ...{ id, first, last, entries, by, service: this.#service.name },
        subject: subject === undefined ? null : subjectColumn(this.#codec, subject),
      }),
    });
    if (appended !== false) return this.#answerOf(id, appended);
    if (by === undefined && !isParked(last)) return false;
    return this.#isLast(id, known, entries.length, text, by);
  };

  readonly read: RunStore["read"] = async (id) => {
    const rows = await this.#logs.rowsOf(id);
    try {
      const parts = await Promise.all(rows.map((row) => this.#textOf(id, row)));
      return parts.flatMap((text) => JSON.parse(text) as RunEntry[]);
    } catch (cause) {
      // The key may be there at the next try.
      if (cause instanceof FrameworkError && cause.code === "ENCRYPTION_KEY_UNKNOWN") throw cause;
      throw new UnreadableLog("The log cannot be decoded: see the cause", { cause });
    }
  };

  readonly glance: NonNullable<RunStore["glance"]> = async (id, withBegun = false) => {
    const rows = await (withBegun ? this.#beginnings : this.#glances).rowsOf(id);
    const [row] = rows;
    if (row === undefined) return undefined;
    const entriesOf = async (of: Row | undefined): Promise<RunEntry[] | undefined> =>
      of === undefined || of["entries"] === null
        ? undefined
        : (JSON.parse(await this.#textOf(id, of)) as RunEntry[]);
    const state = STATES[Number(row["state"])] ?? "running";
    const ended = state === "ended" ? (await entriesOf(rows.at(-1)))?.at(-1) : undefined;
    const wait = waitIn(row);
    const begun = withBegun ? (await entriesOf(row))?.[0] : undefined;
    return {
      ...{
        axon: row["axon"] as string,
        version: row["version"] as string,
        state,
        entries: Number(row["length"]),
      },
      ...(row["unfit"] !== null && { unfit: await this.#listed.reasonIn(id, row["unfit"] as string) }),
      ...(wait && { wait }),
      ...(ended && { end: ended }),
      ...(begun && { begun }),
    };
  };

  readonly unfinished: RunStore["unfinished"] = async (filter = {}) => {
    if (filter.abandoned === true && !(await this.#hasAbandoned())) return [];
    const { sql, values } = this.#unfinishedWhere(filter);
    const rows = await this.#database.read(sql, values);
    return this.#listed.read(rows);
  };

  readonly list: NonNullable<RunStore["list"]> = (filter) => this.#list.list(filter);

  readonly ownership: NonNullable<RunStore["ownership"]> = (id) => this.#rows.ownership(id);

  readonly requestCancel: NonNullable<RunStore["requestCancel"]> = (id, request) =>
    this.#rows.requestCancel(id, request);

  readonly remove: RunStore["remove"] = async (id, only) => {
    const { tables } = this.#database;
    const { run } = tables;
    const which = `id = $1${only === undefined ? "" : ` AND state = ${RUN_STATE.ended}`}`;
    const removed = (
      (await this.#database.write([
        ...deletedParts(tables, `= (SELECT seq FROM ${run} WHERE ${which})`, [id]),
        { sql: `DELETE FROM ${run} WHERE ${which} RETURNING seq`, values: [id] },
      ])) ?? []
    ).at(-1);
    return (removed?.length ?? 0) > 0;
  };

  readonly forget: RunStore["forget"] = (before, limit, ageMs, which = {}) =>
    forgetRuns(this.#database, this.#service, { before, limit, ageMs, which });

  readonly beat: RunStore["beat"] = (host, ttlMs, facts) =>
    this.#database.lease(this.#lease(host, ttlMs, facts));

  readonly hosts: NonNullable<RunStore["hosts"]> = () => this.#rows.hosts(this.#service.name);

  readonly holdLease: NonNullable<RunStore["holdLease"]> = (host, ttlMs, options) =>
    this.#database.holdLease(this.#lease(host, ttlMs), ttlMs / 3, options);

  readonly leave: RunStore["leave"] = async (host) => {
    const { dialect, tables } = this.#database;
    await this.#database.write([
      {
        sql: `UPDATE ${tables.host} SET until = 0, left_at = ${dialect.now} WHERE id = $1`,
        values: [host],
      },
    ]);
  };

  readonly markUnfit: NonNullable<RunStore["markUnfit"]> = async (id, known, { release, reason }) => {
    const { run } = this.#database.tables;
    const kept = encodedPair(this.#codec, reason.slice(0, MAX_REASON), runPlace("unfit", id));
    const values = [id, known, kept, release, MAX_RELEASES * (release.length + 1)];
    await this.#database.write([
      {
        sql: `UPDATE ${run} SET unfit = $3, unfit_by = substr($4 || coalesce(' ' || unfit_by, ''), 1, $5)
          WHERE id = $1 AND known = $2 AND state < ${RUN_STATE.ended}`,
        values,
      },
    ]);
  };

  readonly counted: NonNullable<RunStore["counted"]> = async (release) => {
    const { run } = this.#database.tables;
    const state = `CASE WHEN r.state = ${RUN_STATE.stuck} THEN 'stuck'
      WHEN coalesce(r.unfit_by, '') LIKE $1 THEN 'unfit'
      WHEN r.waits_for = '[]' THEN 'sleeping' WHEN r.waits_for IS NOT NULL THEN 'waiting' ELSE 'running' END`;
    const isLeft = `CASE WHEN ${this.#isAbandoned} THEN 1 ELSE 0 END`;
    const isOwn = "r.service IN ('', $2)";
    const isUnserved = `r.service NOT IN (${livingHosts(this.#database, "service")})`;
    const rows = await this.#database.read(
      `SELECT axon, version, state, other, count(*) AS found, sum(is_left) AS abandoned
        FROM (SELECT r.axon, r.version, ${state} AS state, ${isLeft} AS is_left,
            CASE WHEN ${isOwn} THEN '' ELSE r.service END AS other FROM ${run} r
          WHERE r.state < ${RUN_STATE.ended} AND (${isOwn} OR ${isUnserved})) AS each
        GROUP BY axon, version, state, other ORDER BY axon, version, state, other`,
      [`%${release}%`, this.#service.name],
    );
    return rows.map(({ axon, version, state, other, found, abandoned }) => ({
      ...{ axon: axon as string, version: version as string, state: state as RunCount["state"] },
      ...{ count: Number(found), abandoned: Number(abandoned) },
      ...(other !== "" && { service: other as string }),
    }));
  };

  /** A beat that comes behind `leave` begins no lease. */
  #lease(host: string, ttlMs: number, facts?: HostFacts): Statement {
    const { dialect, tables } = this.#database;
    return {
      sql: `INSERT INTO ${tables.host} (id, until, ttl, service, facts) VALUES ($1, ${dialect.now} + $2, $2, $3, $4)
        ON CONFLICT (id) DO UPDATE SET until = excluded.until, ttl = excluded.ttl,
          facts = coalesce(excluded.facts, ${tables.host}.facts) WHERE ${tables.host}.left_at IS NULL`,
      values: [host, ttlMs, this.#service.name, facts === undefined ? null : JSON.stringify(facts)],
    };
  }

  /** Walks over the owners of unfinished runs by their index: most looks find that all of them live. */
  async #hasAbandoned(): Promise<boolean> {
    const { run } = this.#database.tables;
    const owned = `FROM ${run} o WHERE o.state < ${RUN_STATE.ended} AND o.host`;
    const found = await this.#database.read(
      `WITH RECURSIVE r (host) AS (SELECT min(o.host) ${owned} IS NOT NULL
        UNION ALL SELECT (SELECT min(o.host) ${owned} > r.host) FROM r WHERE r.host IS NOT NULL)
      SELECT r.host FROM r WHERE ${this.#isAbandoned} LIMIT 1`,
      [],
    );
    return found.length > 0;
  }

  /** Of a run `r`. The list of living hosts is made once: EXISTS would look for each run. */
  get #isAbandoned(): string {
    return `(r.host IS NOT NULL AND r.host NOT IN (${livingHosts(this.#database)}))`;
  }

  async #knownOf(id: string): Promise<number> {
    const [row] = await this.#database.read(`SELECT known FROM ${this.#database.tables.run} WHERE id = $1`, [
      id,
    ]);
    return Number(row?.["known"] ?? 0);
  }

  async #answerOf(id: string, { cancel, isDue }: Exclude<AppendedTo, false>): Promise<boolean | Appended> {
    if (cancel === null && !isDue) return true;
    return {
      ...(cancel !== null && { cancel: await this.#rows.cancelIn(id, cancel) }),
      ...(isDue && { isDue }),
    };
  }

  /** Whether the append was kept although its caller saw it fail. */
  async #isLast(id: string, known: number, count: number, text: string, by = ""): Promise<boolean> {
    const { run, run_part: part } = this.#database.tables;
    const [row] = await this.#database.read(
      `SELECT p.known, p.entries, p.key_id FROM ${run} r JOIN ${part} p ON p.run = r.seq AND p.known = $2
        WHERE r.id = $1 AND r.known = $3
          AND (r.host = $4 OR r.waits_for IS NOT NULL)`,
      [id, known, known + count, by],
    );
    return row !== undefined && (await this.#textOf(id, row)) === text;
  }

  #unfinishedWhere(filter: RunFilter): {
    readonly sql: string;
    readonly values: readonly SqlValue[];
  } {
    const { id, axon, axons, of, abandoned, after, release, cancelled, label, limit = 100 } = filter;
    const { dialect, tables } = this.#database;
    const values: SqlValue[] = [];
    const given = (value: SqlValue): string => `$${values.push(value)}`;
    const where = [`r.state < ${RUN_STATE.ended}`, `r.service IN ('', ${given(this.#service.name)})`];
    if (abandoned === true) {
      // In the order in which they are evaluated: few pass the second. A time beyond the longest wait was written by a clock that was ahead.
      const isDue = `(r.retry_at <= ${dialect.now} OR r.retry_at > ${dialect.now} + ${LONGEST_RETRY_MS})`;
      where.push(`r.state = ${RUN_STATE.running}`, this.#isAbandoned, isDue);
    }
    if (id !== undefined) where.push(`r.id = ${given(id)}`);
    if (axon !== undefined) where.push(`r.axon = ${given(axon)}`);
    if (axons !== undefined) where.push(isOfAxons(dialect, axons, given));
    if (of !== undefined) where.push(`r.host = ${given(of)}`);
    if (cancelled === true) where.push("r.cancel IS NOT NULL");
    if (label !== undefined) {
      const terms = dialect.listed(given(termsOf(this.#codec, label)));
      where.push(`r.seq IN (SELECT run FROM ${tables.run_label} WHERE term IN ${terms})`);
    }
    if (after !== undefined) where.push(`r.seq > ${given(Number(after))}`);
    if (release !== undefined) where.push(fitsRelease(release, given));
    const sql = `SELECT ${this.#listed.columns} FROM ${tables.run} r WHERE ${where.join(" AND ")} ORDER BY r.seq LIMIT ${given(limit)}`;
    return { sql, values };
  }

  #textOf(id: string, { known, entries, key_id: keyId }: Row): MaybePromise<string> {
    return this.#codec.decode(entries as string, keyId as string | null, entriesPlace(id, Number(known)));
  }
}

/** What a glance reads: the row of a run, the part `first`, and the last one of an ended run. */
const glanceSql =
  (run: string, part: string, first: string) =>
  (ids: string): string => {
    const newest = `(SELECT max(known) FROM ${part} WHERE run = r.seq)`;
    const end = `CASE WHEN r.state = ${RUN_STATE.ended} THEN ${newest} END`;
    return `SELECT r.id, r.axon, r.version, r.unfit, r.state, r.due, r.waits_for, r.known AS length,
        p.known, p.entries, p.key_id FROM ${run} r
      LEFT JOIN ${part} p ON p.run = r.seq AND p.known IN (${first}, ${end})
      WHERE r.id IN ${ids} ORDER BY r.seq, p.known`;
  };
