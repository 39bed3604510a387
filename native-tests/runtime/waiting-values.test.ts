// What a run that waits still has when another process goes on with it: hosts run no guards.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Framework,
  guard,
  header,
  MemoryRuns,
  pass,
  RunId,
  signal,
  Type,
  VerifiedIdentity,
} from "framework";
import { TestApp } from "framework/http";
import { until } from "../support/patience.js";

const identify = guard({
  name: "identify",
  writes: [VerifiedIdentity],
  run: (input: unknown, bus) => {
    bus.set(VerifiedIdentity, "alice");
    return pass(input);
  },
});
const Go = signal<string>()("go", Type.String());

describe("a run that waits", () => {
  test("keeps what a guard in front has written, over each wait and in a new log", async () => {
    const runs = new MemoryRuns();
    const seen: string[] = [];
    const axon = Axon.start<void>("order")
      .withPersistenceStore(runs)
      .waitFor(Go)
      .waitFor(Go, { name: "again" })
      .thenFn("who", (_, bus) => bus.get(VerifiedIdentity), { reads: [VerifiedIdentity] })
      .thenFn("note", (who) => void seen.push(who))
      .continueAs(() => undefined);
    await using app = new TestApp(
      Framework.http()
        .provide(RunId, () => "run")
        .get("/", axon as never, { guards: [identify] })
        .runStatus("/runs/:run_id"),
    );

    assert.equal((await app.get("/")).status, 202);
    // Twice its two waits.
    for (const id of ["a", "b", "c", "d"]) runs.waits.signal("run", { name: "go", payload: "now", id });
    await until("its third log waits", () => runs.read("run").length === 3 && seen.length === 2);

    assert.deepEqual(seen, ["alice", "alice"]);
    assert.deepEqual(
      runs.read("run").map(({ kind }) => kind),
      ["begun", "resumed", "waiting"],
    );
  });

  test("keeps it in a new log that the process of the request begins", async () => {
    const runs = new MemoryRuns();
    const seen: string[] = [];
    const leading = guard({ name: "leading", reads: [header("x-part")], run: (input) => pass(input) });
    const axon = Axon.start<void>("order")
      .withPersistenceStore(runs)
      .then(leading)
      .thenFn("who", (_, bus) => void seen.push(bus.get(VerifiedIdentity)), { reads: [VerifiedIdentity] })
      .continueAs(() => undefined);
    await using app = new TestApp(
      Framework.http()
        .provide(RunId, () => "run")
        .get("/", axon as never, { guards: [identify] })
        .runStatus("/runs/:run_id"),
    );

    assert.equal((await app.get("/", { headers: { "x-part": "bow" } })).status, 202);
    await until("it has gone on", () => seen.length >= 2);

    assert.deepEqual(seen.slice(0, 2), ["alice", "alice"]);
  });

  test("may not read in its first step what only the request has", () => {
    const h = header("x-part");
    const axon = Axon.start<void>("order")
      .withPersistenceStore(new MemoryRuns())
      .waitFor(Go, { reads: [h], take: (_, go, bus) => go + bus.get(h) });

    assert.throws(
      () =>
        new TestApp(
          Framework.http()
            .get("/", axon as never)
            .runStatus("/runs/:run_id"),
        ),
      {
        code: "KEYS_UNKEPT",
        message: /'header:x-part' for step 'wait for go' of Axon 'order'/,
      },
    );
  });
});
