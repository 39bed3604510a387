// The events of the audit log, as the Inspector of a server lists them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Axon, BearerAuth, Framework, FrameworkConfig, Sensitive, Type } from "framework";
import { type AuditSink, MemoryAuditSink, MemorySubjectKeys, sealedAudit } from "framework/audit";
import { openAudit } from "framework/store";
import Libsql from "libsql";
import { AuditList } from "#inspector/chain/audit-list.js";
import { compileRedactor } from "#schema/redaction/redactor.js";
import { until } from "../../support/patience.js";

const OPERATOR = "operator-token-0123456789";
const VIEWER = "viewer-token-0123456789";

/** A server that listens, with an Inspector that does, too. */
async function inspected(sink: AuditSink | undefined) {
  let inspector = "";
  const pay = Axon.start("pay", Type.Object({ nickname: Sensitive(Type.String()) })).thenFn(
    "charge",
    (n) => n,
  );
  const ingress = Framework.http()
    .config(FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } }))
    .post("/pay", pay)
    .inspector({
      ...{ enabled: true, port: 0, auth: BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER }) },
      announce: (link) => {
        inspector = new URL(link).origin;
      },
    })
    .bind("127.0.0.1:0");
  const server = await (sink === undefined ? ingress : ingress.audit(sink)).run();
  const ask = async (method: "GET" | "POST", path: string, body?: unknown, token = OPERATOR) => {
    const response = await fetch(`${inspector}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as any) };
  };
  const events = async (query: Readonly<Record<string, string>> = {}) => {
    const { status, data, detail } = await ask("GET", `/audit/events?${new URLSearchParams(query)}`);
    assert.equal(status, 200, detail);
    return data;
  };
  return { address: server.url, ask, events, close: () => server.close() };
}

const targets = ({ events }: any) => events.map(({ event }: any) => event?.target);

async function withSqlite(run: (sink: AuditSink, file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "audit-list-"));
  const sink = openAudit(`sqlite:${folder}/a.db`);
  try {
    await run(sink, join(folder, "a.db"));
  } finally {
    await sink.close();
    rmSync(folder, { recursive: true });
  }
}

describe("GET /api/v1/audit/events", () => {
  test("lists the newest first, page by page, and by each member and time", async () => {
    for (const sink of [new MemoryAuditSink(), undefined])
      await withSqlite(async (sqlite) => {
        const log = sink ?? sqlite;
        const { events, close } = await inspected(log);
        for (let n = 1; n <= 7; n += 1)
          await log.append({
            timestamp: `2026-01-0${n}T12:00:00.000000Z`,
            actor: n % 2 === 0 ? "eve" : "bob",
            action: n > 4 ? "open" : "shut",
            target: `t${n}`,
            intent: `because ${n}`,
          });

        const first = await events({ limit: "3" });
        assert.deepEqual([targets(first), first.next], [["t7", "t6", "t5"], 5]);
        const second = await events({ limit: "3", before: "5" });
        assert.deepEqual([targets(second), second.next], [["t4", "t3", "t2"], 2]);
        const third = await events({ limit: "3", before: "2" });
        assert.deepEqual([targets(third), third.next], [["t1"], null]);
        assert.deepEqual(targets(await events({ actor: "eve", action: "shut" })), ["t4", "t2"]);
        assert.deepEqual(targets(await events({ target: "t3" })), ["t3"]);
        const at = (day: number) => String(Date.UTC(2026, 0, day, 12));
        assert.deepEqual(targets(await events({ since: at(3), until: at(5) })), ["t4", "t3"]);
        assert.deepEqual(targets(await events({ text: "BECAUSE 6" })), ["t6"]);
        assert.deepEqual(targets(await events({ text: "because", actor: "bob", limit: "2" })), ["t7", "t5"]);
        await close();
      });
  });

  test("finds by its id who resumed a held run, and what else was done to it", async () => {
    const sink = new MemoryAuditSink();
    const { address, ask, events, close } = await inspected(sink);
    await ask("POST", "/breakpoints", { node_id: "pay/charge" });
    const paid = fetch(`${address}/pay`, { method: "POST", body: '{"nickname":"n"}', headers: JSON_BODY });
    let held: any;
    await until("the run is held", async () => {
      [held] = (await ask("GET", "/paused")).data.paused;
      return held !== undefined;
    });
    await ask("POST", `/paused/${held.id}/resume`, {});
    await paid;
    await sink.append({ actor: "a", action: "b", target: "c", metadata: { run_id: held.run_id } });

    const { events: found } = await events({ run: held.run_id });
    assert.deepEqual(
      found.map(({ event }: any) => event.action),
      ["b", "inspector.run.resume", "inspector.breakpoint.hit"],
    );
    const [resumed] = (await events({ target: held.run_id, action: "inspector.run.resume" })).events;
    assert.match(resumed.event.actor, /^operator:[0-9a-f]{12}$/);
    await close();
  });

  test("is for operators alone", async () => {
    const { ask, close } = await inspected(new MemoryAuditSink());

    for (const path of ["/audit/events", "/audit/%65vents"]) {
      const refused = await ask("GET", path, undefined, VIEWER);
      assert.deepEqual([refused.status, refused.code], [403, "ROLE_INSUFFICIENT"]);
    }
    await close();
  });

  test("names the remedy where there is no audit log, and where its sink cannot be queried", async () => {
    const { query: _, ...mute } = { ...new MemoryAuditSink(), rows: async function* () {} };
    for (const [sink, remedy] of [
      [undefined, /\.audit\(sink\) gives it one/],
      [mute as unknown as AuditSink, /no function 'query'/],
    ] as const) {
      const { ask, close } = await inspected(sink);
      const answer = await ask("GET", "/audit/events");

      assert.deepEqual([answer.status, answer.capability], [501, "planned"]);
      assert.match(answer.detail, remedy);
      await close();
    }
  });

  test("shows forged rows as such, cuts long texts, and masks what a schema marks", async () => {
    await withSqlite(async (sink, file) => {
      for (const target of ["a", "b", "c"])
        await sink.append({ actor: "eve", action: "open", target, metadata: { nickname: "hunter2", n: 1 } });
      const database = new Libsql(file);
      database.exec(`UPDATE audit SET target = '${"x".repeat(9000)}' WHERE seq = 1`);
      database.exec("UPDATE audit SET metadata = '{' WHERE seq = 2");
      database.close();
      const { events, close } = await inspected(sink);

      const [sound, unreadable, edited] = (await events()).events;
      assert.deepEqual(sound.event.metadata, { n: 1, nickname: "[redacted]" });
      assert.equal(sound.problem, null);
      assert.deepEqual([unreadable.position, unreadable.event], [2, null]);
      assert.match(unreadable.problem, /^It was changed: its metadata is no canonical JSON$/);
      assert.match(edited.problem, /^It was changed: its hash is another one$/);
      assert.deepEqual([edited.event.target.length, edited.event.is_cut], [5001, true]);
      await close();
    });
  });

  test("has the pseudonym of a sealed text, by which it is found", async () => {
    const keys = new MemorySubjectKeys();
    const metadata = Type.Object({ email: Sensitive(Type.String()) });
    const sink = sealedAudit(new MemoryAuditSink(), { keys, actor: true, metadata });
    const { events, close } = await inspected(sink);
    for (const actor of ["alice", "bob"])
      await sink.append({ actor, action: "a", target: "t", metadata: { email: "e", at: ["x"] } });

    const [bob] = (await events()).events;
    assert.match(bob.event.actor, /^sealed:1:[\w-]{43}$/);
    assert.deepEqual((await events({ actor: bob.event.actor })).events, [bob]);
    assert.deepEqual((await events({ actor: "bob" })).events, [bob]);
    await close();
  });

  test("reads at most 2000 events for a page of run or text, and finds the events of a run beyond them", async () => {
    const sink = new MemoryAuditSink();
    await sink.append({ actor: "a", action: "b", target: "run-1" });
    await sink.append({ actor: "a", action: "b", target: "other", metadata: { run_id: "run-1" } });
    for (let n = 0; n < 2000; n += 1) await sink.append({ actor: "a", action: "b", target: "t" });
    const list = new AuditList({ source: sink, redactor: () => compileRedactor() });

    const first = page(await list.list({ run: "run-1" }));
    assert.deepEqual([targets(first), first.read, first.next], [["run-1"], 2000, 3]);
    const older = page(await list.list({ run: "run-1", before: 3 }));
    assert.deepEqual([targets(older), older.next], [["other", "run-1"], null]);
    assert.equal(page(await list.list({ text: "nowhere" })).read, 2000);
    // One event of the run fills a page of one: the page still says how to go on.
    assert.equal(page(await list.list({ run: "run-1", limit: 1 })).next, 3);
  });

  test("says why the sink fails, refuses a row without a place, and asks a late sink no more than four times", async () => {
    const sink = new MemoryAuditSink();
    const query: { now: AuditSink["query"] } = { now: () => Promise.reject(new Error("password=secret")) };
    const source = { ...sink, shown: "memory:", query: () => query.now() } as unknown as AuditSink;
    const list = new AuditList({ source, redactor: () => compileRedactor(), clock: AT_ONCE });
    assert.equal(detail(await list.list({})), "Its sink failed");
    query.now = async () => [{ position: Number.NaN, unreadable: "its seq is NULL" }];
    assert.match(detail(await list.list({})), /no place in the chain: run "framework audit verify"/);
    let asked = 0;
    let release = (): void => {};
    const late = new Promise<never[]>((resolve) => {
      release = () => resolve([]);
    });
    query.now = () => {
      asked += 1;
      return late;
    };
    for (let n = 0; n < 4; n += 1) assert.match(detail(await list.list({})), /takes longer than 5 s/);
    assert.match(detail(await list.list({})), /still reading for earlier queries/);
    assert.equal(asked, 4);
    release();
    await late;
    await until("the queries are over", async () => !/still/.test(detail(await list.list({}))));
  });
});

const JSON_BODY = { "content-type": "application/json" };

/** Of which each deadline has passed when a sink has not responded within a turn. */
const AT_ONCE = {
  now: () => 0,
  after: (_: number, call: () => void) => {
    const timer = setImmediate(call);
    return () => clearImmediate(timer);
  },
};

const page = (listed: Awaited<ReturnType<AuditList["list"]>>) =>
  "events" in listed ? listed : assert.fail(detail(listed));
const detail = (listed: Awaited<ReturnType<AuditList["list"]>>): string =>
  "events" in listed ? "" : (listed.error.particulars.detail ?? "");
