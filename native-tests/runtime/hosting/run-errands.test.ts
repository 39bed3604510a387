import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Axon, fault, MemoryDeadLetters, signal } from "framework";
import { MemoryAuditSink } from "framework/audit";
import { plainCodec } from "#core/ports/codec.js";
import type { HostRequest } from "#core/ports/host-requests.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { hearRequests } from "#runtime/hosting/host-requests.js";
import { letterErrands } from "#runtime/hosting/letter-errands.js";
import { runErrands } from "#runtime/hosting/run-errands.js";
import { SqlRequests } from "#store/sql/sql-requests.js";
import { hosts } from "../../support/hosts.js";
import { until } from "../../support/patience.js";
import { sqliteDatabases } from "../../support/sql-stores.js";

const open = sqliteDatabases();
const TTL_MS = 600_000;
const BY = "cli:eve@desk (unverified)";
const Approved = signal<{ amount: number }>()("approved", Type.Object({ amount: Type.Number() }));

const orders = (store: RunStore, sink: MemoryAuditSink) =>
  Axon.start("orders", Type.Object({ amount: Type.Number() }))
    .withAuditSink(sink)
    .withPersistenceStore(store)
    .thenFn("check", ({ amount }) => amount)
    .waitFor(Approved, { take: (n, { amount }) => n + amount })
    .thenFn("pay", (n) => n);

const naps = (store: RunStore, sink: MemoryAuditSink) =>
  Axon.start<number>("naps")
    .withAuditSink(sink)
    .withPersistenceStore(store)
    .sleep("pause", 3_600_000)
    .thenFn("behind", (n) => (n === 13 ? fault("unlucky") : n) as number);

const begun = (axon: string, node: string): RunEntry => ({
  ...{ kind: "begun", at: 1, axon, version: "1.0.0", node, input: 1, bus: {}, jumps: 0 },
});

/** Hosts of one store of runs that hear requests of one table. */
async function asking() {
  const all = hosts();
  const requests = new SqlRequests(await open(), plainCodec);
  const [sink, gone] = [new MemoryAuditSink(), new MemoryAuditSink()];
  const letters = new MemoryDeadLetters();
  const heard: (() => Promise<void>)[] = [];
  let asks = 0;

  const hostOf = async (axons: readonly AnyAxon[], mayBegin: () => boolean = () => true) => {
    const { reports, clock } = all;
    const reporter = (report: (typeof reports)[number]): void => void reports.push(report);
    const { host, handle } = await all.served(axons, { audit: { sink: gone, onFailure: "log" } });
    const errands = new Map([
      ...runErrands(host, handle),
      ...letterErrands({
        ...{ letters, axons: axons.map(({ definition }) => definition), bus: () => host.resources },
        ...{ audit: { sink: gone, onFailure: "log" }, clock, reporter },
      }),
    ]);
    hearRequests(host, requests, { errands, mayBegin, reporter });
    heard.push(() => host.heartbeat.beat());
    return { host, handle };
  };
  const look = async (): Promise<void> => {
    for (const each of heard) await each();
  };
  const ask = async (kind: string, target: string, fields: Partial<HostRequest> = {}): Promise<string> => {
    asks += 1;
    await requests.ask({ id: `r${asks}`, kind, target, by: BY, ...fields }, TTL_MS);
    return `r${asks}`;
  };
  const answerOf = async (id: string): Promise<Json | undefined> => {
    const state = await requests.state(id);
    return state?.kind === "answered" ? state.answer : undefined;
  };
  /** The answer, after as many looks as it takes. */
  const answered = async (...asked: Parameters<typeof ask>): Promise<Json> => {
    const id = await ask(...asked);
    await until(`${asked[0]} of ${asked[1]} is answered`, async () => {
      await look();
      await all.clock.advance(0);
      return (await answerOf(id)) !== undefined;
    });
    return (await answerOf(id)) as Json;
  };
  const events = async (of = sink) =>
    (await of.query()).map((row) => "event" in row && [row.event.action, row.event.target, row.event.actor]);
  return { ...all, requests, sink, gone, letters, hostOf, look, ask, answerOf, answered, events };
}

const refused = (code: string) => ({ kind: "refused", code });

describe("a request of an operator", () => {
  test("begins a run once, with the input that was sent, and is audited", async () => {
    const { runs, sink, hostOf, answered, events } = await asking();
    const { handle } = await hostOf([orders(runs, sink)]);
    const payload = { axon: "orders", input: { amount: 7 } };

    assert.deepEqual(await answered("start", "o-1", { payload, reason: "by phone" }), { kind: "begun" });
    assert.deepEqual(await answered("start", "o-1", { payload }), { kind: "known" });
    assert.deepEqual((await handle.begun("o-1"))?.input, { amount: 7 });
    assert.deepEqual(await events(), [["run.start", "o-1", BY]]);
    const [row] = await sink.query();
    assert.equal(row && "event" in row && row.event.intent, "by phone");
  });

  test("is refused with the place of what is wrong in it, and without its values", async () => {
    const { runs, sink, hostOf, answered } = await asking();
    await hostOf([orders(runs, sink)]);
    const start = (target: string, payload: Json) => answered("start", target, { payload });

    assert.deepEqual(await start("a", { axon: "orders", input: { amount: "hunter2" } }), {
      ...refused("INPUT_INVALID"),
      detail: "/amount: a number",
    });
    assert.deepEqual(await start("a", { axon: 7, more: "hunter2" }), {
      ...refused("REQUEST_INVALID"),
      detail: "/more: no property of this name; /axon: a string",
    });
    for (const id of ["key-1", "redrive-1", "", "x".repeat(201)]) {
      const answer = (await start(id, { axon: "orders", input: { amount: 1 } })) as { code?: string };
      assert.equal(answer.code, "RUN_ID_INVALID", JSON.stringify(id));
    }
    assert.deepEqual(runs.unfinished(), []);
  });

  test("to begin a run stays open for a host that has its Axon", async () => {
    const { runs, sink, hostOf, ask, look, answerOf } = await asking();
    await hostOf([naps(runs, sink)]);
    const id = await ask("start", "o-1", { payload: { axon: "orders", input: { amount: 1 } } });
    for (let looks = 0; looks < 3; looks += 1) await look();
    assert.equal(await answerOf(id), undefined);
    await hostOf([orders(runs, sink)]);
    await until("it is begun", async () => {
      await look();
      return (await answerOf(id)) !== undefined;
    });

    assert.deepEqual(await answerOf(id), { kind: "begun" });
  });

  test("sends a signal, once for an id, to a run that takes it now or later", async () => {
    const { runs, sink, hostOf, answered, events } = await asking();
    const { handle } = await hostOf([orders(runs, sink), naps(runs, sink)]);
    await handle.start("orders", { amount: 1 }, { runId: "a" });
    await handle.start("naps", 1, { runId: "nap" });
    const sent = (payload: Json, target = "a") => answered("signal", target, { payload });
    const ok = { name: "approved", payload: { amount: 2 }, id: "s" };

    assert.deepEqual(await sent({ ...ok, payload: { amount: "hunter2" } }), {
      ...refused("SIGNAL_INVALID"),
      detail: "/amount: a number",
    });
    assert.deepEqual(await sent({ ...ok, name: "run:b" }), {
      ...refused("SIGNAL_INVALID"),
      detail: "payload: a signal that 'orders' waits for: 'approved'",
    });
    assert.deepEqual(await sent("approved"), { ...refused("REQUEST_INVALID"), detail: "payload: an object" });
    assert.deepEqual(await sent(ok), { kind: "signalled", result: "woken", id: "s" });
    await until("the run ends", async () => (await handle.result("a")).kind === "completed");
    assert.deepEqual(await sent(ok), refused("RUN_ENDED"));
    assert.deepEqual(await sent(ok, "none"), refused("RUN_UNKNOWN"));
    assert.deepEqual(await events(), [["run.signal", "a", BY]]);
  });

  test("wakes a run whose wait has a time, and no other", async () => {
    const { runs, sink, hostOf, answered } = await asking();
    const { handle } = await hostOf([orders(runs, sink), naps(runs, sink)]);
    await handle.start("orders", { amount: 1 }, { runId: "a" });
    await handle.start("naps", 1, { runId: "nap" });

    const detail = "it waits for a signal without a time that could end: send the signal";
    assert.deepEqual(await answered("wake", "a"), { ...refused("RUN_WAITING"), detail });
    assert.deepEqual(await answered("wake", "nap"), { kind: "woken" });
    await until("the run ends", async () => (await handle.result("nap")).kind === "completed");
    assert.deepEqual(await answered("wake", "nap"), refused("RUN_ENDED"));
  });

  test("cancels a run, and the second of two operators learns that it has ended", async () => {
    const { runs, sink, hostOf, answered, events } = await asking();
    const { handle } = await hostOf([naps(runs, sink)]);
    await handle.start("naps", 1, { runId: "nap" });
    assert.deepEqual(await answered("cancel", "nap"), {
      ...refused("REQUEST_INVALID"),
      detail: "reason: a string",
    });

    assert.deepEqual(await answered("cancel", "nap", { reason: "twice" }), { kind: "cancelled" });
    assert.deepEqual(await answered("cancel", "nap", { reason: "twice" }), refused("RUN_ENDED"));
    assert.deepEqual(await events(), [["run.cancel", "nap", BY]]);
  });

  test("resumes an interrupted run, and leaves those that wait, ended or are at work", async () => {
    const { runs, sink, hostOf, answered, clock } = await asking();
    const { handle, host } = await hostOf([naps(runs, sink)]);
    runs.append("left", 0, [begun("naps", "naps/pause")], "dead");
    runs.append("owned", 0, [begun("naps", "naps/pause")], "other");
    runs.beat("other", TTL_MS);
    for (const [runId, n] of [
      ["waiting", 1],
      ["failed", 13],
    ] as const)
      await handle.start("naps", n, { runId });
    await handle.wake("failed");
    await until("one has failed", async () => {
      await clock.advance(500);
      return (await handle.result("failed")).kind === "failed";
    });

    assert.deepEqual(await answered("resume", "left"), { kind: "resumed" });
    assert.deepEqual(await answered("resume", "owned"), refused("RUN_OWNED"));
    assert.deepEqual(await answered("resume", "waiting"), refused("RUN_WAITING"));
    assert.deepEqual(await answered("resume", "failed"), refused("RUN_ENDED"));
    assert.deepEqual(await answered("resume", "none", { host: host.id }), refused("RUN_UNKNOWN"));
  });

  test("forgets a run that has ended, with its history, and is audited", async () => {
    const { runs, sink, hostOf, answered, events } = await asking();
    const { handle } = await hostOf([naps(runs, sink)]);
    await handle.start("naps", 1, { runId: "nap" });
    const detail = "it has not ended: cancel it first";
    assert.deepEqual(await answered("forget", "nap"), { ...refused("RUN_RUNNING"), detail });
    await handle.cancel("nap", "no", { actor: "eve" });

    assert.deepEqual(await answered("forget", "nap"), { kind: "forgotten" });
    // RQ1: the second operator is answered, too.
    assert.deepEqual(await answered("forget", "nap"), refused("RUN_UNKNOWN"));
    assert.equal(await handle.history("nap"), undefined);
    assert.deepEqual((await events()).at(-1), ["run.forget", "nap", BY]);
  });

  test("forgets no run before the one that waits for its end is told", async () => {
    const { runs, sink, hostOf, answered } = await asking();
    await hostOf([naps(runs, sink)]);
    const tells: RunEntry = { ...begun("naps", "naps/pause"), tells: "parent" } as RunEntry;
    runs.append("parent", 0, [begun("naps", "naps/pause")], "dead");
    runs.append("child", 0, [tells, { kind: "ended", at: 2, output: 5 }], "dead");

    assert.deepEqual(await answered("forget", "child"), { kind: "forgotten" });
    const told = runs.waits.signals("parent", ["run:child"]) as readonly { payload: Json }[];
    assert.deepEqual(
      told.map(({ payload }) => payload),
      [{ kind: "ended", at: 2, output: 5 }],
    );
  });

  test("about a run whose Axon is gone is answered once no host has it", async () => {
    const { runs, sink, gone, hostOf, ask, look, answerOf, answered, events } = await asking();
    await hostOf([naps(runs, sink)]);
    runs.append("ended", 0, [begun("orders", "orders/check"), { kind: "ended", at: 2, output: 5 }], "dead");
    runs.append("left", 0, [begun("orders", "orders/check")], "dead");

    // RQ1: any host forgets it.
    assert.deepEqual(await answered("forget", "ended"), { kind: "forgotten" });
    assert.deepEqual(await events(gone), [["run.forget", "ended", BY]]);
    assert.deepEqual(await answered("cancel", "left", { reason: "old" }), {
      ...refused("RUN_UNFIT"),
      detail: "no Axon 'orders' keeps its runs here: mount it",
    });
    const [busy] = [await hostOf([orders(runs, sink)], () => false)];
    const id = await ask("cancel", "left", { reason: "old" });
    for (let looks = 0; looks < 3; looks += 1) await look();
    assert.equal(await answerOf(id), undefined, "a living host has it");
    await busy.host.leave();
  });

  test("to forget a run is for the host that has its Axon, also where another reads it first", async () => {
    const { runs, sink, gone, hostOf, answered, events } = await asking();
    await hostOf([naps(runs, sink)]);
    await hostOf([orders(runs, sink)]);
    runs.append("ended", 0, [begun("orders", "orders/check"), { kind: "ended", at: 2, output: 5 }], "dead");

    assert.deepEqual(await answered("forget", "ended"), { kind: "forgotten" });
    assert.deepEqual([await events(), await events(gone)], [[["run.forget", "ended", BY]], []]);
  });

  test("stays open for others on a host that stops", async () => {
    const { runs, sink, hostOf, ask, look, answerOf } = await asking();
    const { handle } = await hostOf([naps(runs, sink)], () => false);
    await handle.start("naps", 1, { runId: "nap" });
    const id = await ask("wake", "nap");
    for (let looks = 0; looks < 3; looks += 1) await look();
    assert.equal(await answerOf(id), undefined);
    await hostOf([naps(runs, sink)]);
    await look();
    await until("the other answers", async () => (await answerOf(id)) !== undefined);

    assert.deepEqual(await answerOf(id), { kind: "woken" });
  });

  test("about a run that cannot be read holds up no other", async () => {
    const { runs, sink, hostOf, ask, answerOf, answered } = await asking();
    const { handle } = await hostOf([naps(runs, sink)]);
    await handle.start("naps", 1, { runId: "nap" });
    const read = runs.glance;
    Object.assign(runs, {
      glance: (id: string) => (id === "damaged" ? assert.fail("damaged") : read(id)),
    });
    const id = await ask("wake", "damaged");

    assert.deepEqual(await answered("wake", "nap"), { kind: "woken" });
    await answered("wake", "nap");
    assert.deepEqual(await answerOf(id), { kind: "failed", reason: "damaged" });
  });
});

describe("a request about a dead letter", () => {
  const letter = (id: string, axon = "orders") => ({
    ...({ id, kind: "step", axon, node: `${axon}/check`, version: "1.0.0", input: 1, error: "no" } as const),
    ...{ timeline: undefined, undone: [], failed_at: 1, attempts: 1 },
  });

  test("discards it once, audited by its Axon", async () => {
    const { runs, sink, letters, hostOf, answered, events } = await asking();
    await hostOf([orders(runs, sink)]);
    letters.send(letter("l"));

    assert.deepEqual(await answered("discard", "l"), { kind: "discarded" });
    assert.deepEqual(await answered("discard", "l"), refused("unknown"));
    assert.deepEqual(await answered("redrive", "l"), refused("unknown"));
    assert.deepEqual(await events(), [["letter.discard", "l", BY]]);
    assert.equal(letters.get("l"), undefined);
  });

  test("discards one whose Axon is gone, audited by the server", async () => {
    const { runs, sink, gone, letters, hostOf, answered, events } = await asking();
    await hostOf([naps(runs, sink)]);
    letters.send(letter("l"));

    assert.deepEqual(await answered("discard", "l"), { kind: "discarded" });
    assert.deepEqual([await events(), await events(gone)], [[], [["letter.discard", "l", BY]]]);
  });

  test("is refused while another operator re-drives it", async () => {
    const { runs, sink, letters, hostOf, answered } = await asking();
    await hostOf([orders(runs, sink)]);
    letters.send(letter("l"));
    // Its re-drive waits for a signal.
    letters.send({ ...letter("l"), input: { amount: 1 } });

    assert.deepEqual(await answered("redrive", "l"), { kind: "begun" });
    assert.deepEqual(await answered("discard", "l"), refused("busy"));
    assert.deepEqual(await answered("redrive", "l"), refused("busy"));
    assert.notEqual(letters.get("l"), undefined);
  });
});
