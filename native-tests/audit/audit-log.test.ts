import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Bus,
  busKey,
  Framework,
  fault,
  jump,
  openStores,
  RetryPolicy,
  RunId,
  transition,
} from "framework";
import { AuditLog, type AuditSink, MemoryAuditSink } from "framework/audit";
import { TestApp } from "framework/http";
import { FrameworkError } from "#core/errors.js";
import { codeOf, never, Runs, taken } from "../support/kept-runs.js";

interface Transfer {
  readonly to: string;
  readonly cents: number;
}

const Caller = busKey<string>()("Caller");
const transfer: Transfer = { to: "acc-7", cents: 120 };

const eventsIn = async (sink: AuditSink) => {
  const rows = await sink.query();
  return rows.map((row) => ("event" in row ? row.event : assert.fail("unreadable")));
};

/** A sink that fails with this error until it is mended. */
const failing = (error: unknown) => {
  const inner = new MemoryAuditSink();
  const state = { isMended: false, attempts: 0 };
  const sink: AuditSink = {
    ...inner,
    rows: (from) => inner.rows(from),
    append: async (entry) => {
      state.attempts += 1;
      if (!state.isMended) throw error;
      return inner.append(entry);
    },
  };
  return { sink, inner, state };
};

const booked = (sink: AuditSink | undefined, options: { readonly onFailure?: "refuse" | "log" } = {}) => {
  const done: unknown[] = [];
  const axon = Axon.start<Transfer>("book")
    .then(
      new AuditLog({
        action: "transfer.book",
        actor: (_: Transfer, bus) => bus.get(Caller),
        target: ({ to }) => `account:${to}`,
        metadata: ({ cents }) => ({ cents }),
        reads: [Caller],
        ...(sink && { sink }),
        ...options,
      }),
    )
    .thenFn("post", (input) => {
      done.push(input);
      return "posted";
    });
  return { axon, done };
};

const asEve = Bus.of([[Caller, "eve"]]);

describe("an AuditLog", () => {
  test("names the keys that it uses, as other steps do", async () => {
    const sink = new MemoryAuditSink();
    const Reason = busKey<string>()("Reason");
    const axon = Axon.start<Transfer>("book").then(
      new AuditLog({
        ...{ action: "transfer.book", target: "account", sink },
        uses: { caller: Caller },
        mayUse: { reason: Reason },
        actor: (_: Transfer, { caller }) => caller,
        intent: (_: Transfer, { reason }) => reason,
      }),
    );
    await axon.execute(transfer, asEve);
    await axon.execute(
      transfer,
      Bus.of([
        [Caller, "eve"],
        [Reason, "due"],
      ]),
    );

    assert.deepEqual(
      (await eventsIn(sink)).map(({ actor, intent }) => [actor, intent]),
      [
        ["eve", undefined],
        ["eve", "due"],
      ],
    );
    // @ts-expect-error The caller is needed.
    assert.ok(() => axon.execute(transfer));
    assert.throws(() => new AuditLog({ action: "a", actor: "b", target: "c", uses: { get: Caller } }), {
      code: "CONFIG_INVALID",
      message: /'get' is a name of the Bus/,
    });
  });

  test("records what its functions say of input and Bus, and lets the input pass", async () => {
    const sink = new MemoryAuditSink();
    const { axon, done } = booked(sink);

    assert.equal(await axon.execute(transfer, asEve), "posted");

    assert.deepEqual(done, [transfer]);
    const [event] = await eventsIn(sink);
    assert.deepEqual(
      [event?.actor, event?.action, event?.target, event?.metadata],
      ["eve", "transfer.book", "account:acc-7", { cents: 120 }],
    );
  });

  // (AL2)
  test("ends the run as AUDIT_FAILED where its event cannot be kept, before what it is about", async () => {
    const { sink } = failing(new Error("disk full"));
    const { axon, done } = booked(sink);

    assert.equal(codeOf(await axon.execute(transfer, asEve)), "AUDIT_FAILED");
    assert.deepEqual(done, []);
  });

  test("lets the run continue all the same with onFailure 'log'", async () => {
    const { sink } = failing(new Error("disk full"));
    const { axon } = booked(sink, { onFailure: "log" });

    assert.equal(await axon.execute(transfer, asEve), "posted");
  });

  test("is a mistake of the program where its metadata are a cycle, and ends where they are endless", async () => {
    const cycle: Record<string, unknown> = { one: 1 };
    cycle["two"] = [cycle, cycle];
    const sink = new MemoryAuditSink();
    const of = (metadata: object) =>
      Axon.start<Transfer>("odd").then(
        new AuditLog({ ...{ action: "odd", actor: "eve", target: "t", sink }, metadata: metadata as never }),
      );

    assert.equal(codeOf(await of(cycle).execute(transfer)), "TRANSITION_PANIC");
    const all = Array.from({ length: 30 }, () => null).reduce<object>(
      (inner) => ({ a: inner, b: inner }),
      {},
    );
    assert.equal(await of({ all }).execute(transfer), transfer);
    assert.equal((await eventsIn(sink)).length, 1);
  });

  test("is a mistake of the program where its entry can never be kept", async () => {
    const axon = Axon.start<Transfer>("odd").then(
      new AuditLog({ action: "odd", actor: "eve", target: () => 7 as never, sink: new MemoryAuditSink() }),
    );

    assert.equal(codeOf(await axon.execute(transfer)), "TRANSITION_PANIC");
  });

  test("takes the sink of the Axon it stands in, else of the one around that", async () => {
    const [outer, inner] = [new MemoryAuditSink(), new MemoryAuditSink()];
    const log = (action: string) => new AuditLog<number>({ action, actor: "a", target: "t" });
    const axon = Axon.start<number>("outer")
      .withAuditSink(outer)
      .subgraph(Axon.start<number>("inner").withAuditSink(inner).then(log("in")))
      .subgraph(Axon.start<number>("plain").then(log("out")));

    assert.equal(await axon.execute(1), 1);

    assert.deepEqual(
      (await eventsIn(inner)).map(({ action }) => action),
      ["in"],
    );
    assert.deepEqual(
      (await eventsIn(outer)).map(({ action }) => action),
      ["out"],
    );
  });

  test("takes the audit log of the ingress it is mounted on, by default that of its stores", async () => {
    for (const own of [undefined, new MemoryAuditSink()]) {
      const stores = openStores("memory:");
      const log = new AuditLog<unknown>({ action: "open", actor: "eve", target: "door" });
      const ingress = Framework.http()
        .stores(stores)
        .get("/", Axon.start<unknown>("door").then(log as never));
      if (own !== undefined) ingress.audit(own);
      await using app = new TestApp(ingress);

      assert.ok((await app.get("/")).status < 300);
      assert.equal((await eventsIn(own ?? stores.audit)).length, 1);
    }
  });

  test("needs a sink, by the first run at the latest", () => {
    assert.throws(
      () => booked(undefined).axon.execute(transfer, asEve),
      (error) => error instanceof FrameworkError && error.code === "AUDIT_SINK_MISSING",
    );
  });

  test("is drawn as its own kind, told in explain(), and says what it answers", () => {
    const { axon } = booked(new MemoryAuditSink());
    const fields = { action: "a", actor: "b", target: "c" };
    const node = axon.schematic().nodes.find(({ kind }) => kind === "Audit");

    const statuses = ({ responses }: AuditLog<unknown>) => responses.map(({ status }) => status);
    assert.deepEqual(statuses(new AuditLog(fields)), [503]);
    assert.deepEqual(statuses(new AuditLog({ ...fields, onFailure: "log" })), []);
    assert.deepEqual(node?.audit, { action: "transfer.book", on_failure: "refuse" });
    assert.match(
      axon.explain(),
      /1 audit transfer\.book {2}recorded as transfer\.book, or refused; reads Caller/,
    );
  });

  test("may be what undoes a step", async () => {
    const sink = new MemoryAuditSink();
    const reserve = transition({ name: "reserve", run: (n: number) => n });
    const axon = Axon.start<number>("order")
      .thenCompensated(
        reserve,
        new AuditLog<{ input: number; output: number }>({
          action: "reserve.undo",
          actor: "saga",
          target: ({ output }) => `stock:${output}`,
          sink,
        }) as never,
      )
      .thenFn("fail", () => fault("no"));

    await axon.execute(4);

    assert.deepEqual(
      (await eventsIn(sink)).map(({ target }) => target),
      ["stock:4"],
    );
  });
});

describe("an AuditLog of a kept run", () => {
  const kept = (sink: AuditSink, runs = new Runs()) => {
    const world = { hangs: true };
    const axon = Axon.start<number>("ship")
      .withPersistenceStore(runs)
      .label("again")
      .then(new AuditLog<number>({ action: "ship", actor: "clerk", target: "parcel", sink }))
      .thenFn("load", (n) => (n < 3 ? jump("again", n + 1) : n), { jumps: ["again"] })
      .thenFn("leave", (n) => (world.hangs ? never() : n) as number);
    return { axon, runs, world };
  };

  // (AL1)
  test("records each visit once, however often the run is resumed", async () => {
    const sink = new MemoryAuditSink();
    const { axon, runs, world } = kept(sink);
    // The position stays where the run began, as if the process had ended right behind the event.
    runs.misbehave = (known) => (known > 0 ? Promise.reject(new Error("stopped")) : undefined);
    assert.equal(codeOf(await axon.execute(1, Bus.of([[RunId, "r"]]))), "CHECKPOINT_FAILED");
    assert.equal((await eventsIn(sink)).length, 1);
    runs.misbehave = () => undefined;
    void axon.resume("r");
    await new Promise(setImmediate);
    world.hangs = false;

    assert.equal(await taken(axon, "r"), 3);

    const events = await eventsIn(sink);
    assert.equal(events.length, 3, "one for each visit of the node");
    assert.equal(new Set(events.map(({ id }) => id)).size, 3);
    for (const { metadata } of events) assert.deepEqual(metadata, { run_id: "r" });
    for (const { id } of events) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });

  test("records beside it what a part says otherwise when it is tried again", async () => {
    const sink = new MemoryAuditSink();
    let tries = 0;
    const pay = Axon.start<number>("pay")
      .thenFn("charge", () => `charge-${++tries}`)
      .then(new AuditLog<string>({ action: "charge", actor: "shop", target: (id) => id, sink }))
      .thenFn("settle", (id) => (tries < 3 ? fault("busy") : id));
    const axon = Axon.start<number>("order")
      .withPersistenceStore(new Runs())
      .thenWithRetry(pay.asTransition(), RetryPolicy.fixed(3, 0));

    assert.equal(await axon.execute(1), "charge-3");

    assert.deepEqual(
      (await eventsIn(sink)).map(({ target }) => target),
      ["charge-1", "charge-2", "charge-3"],
    );
  });

  test("ends refused, and is recorded once when it is done again", async () => {
    const { sink, inner, state } = failing(new Error("locked"));
    const { axon, world } = kept(sink);
    world.hangs = false;

    assert.equal(codeOf(await axon.execute(3, Bus.of([[RunId, "r"]]))), "AUDIT_FAILED");
    assert.equal((await eventsIn(inner)).length, 0);
    state.isMended = true;

    assert.equal(await axon.execute(3, Bus.of([[RunId, "r2"]])), 3);
    assert.equal((await eventsIn(inner)).length, 1);
  });
});
