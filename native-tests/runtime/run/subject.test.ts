import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";

import {
  Axon,
  Bus,
  Framework,
  fault,
  guard,
  IamIdentity,
  MemoryDeadLetters,
  MemoryRuns,
  pass,
  RunId,
  transition,
  VerifiedIdentity,
} from "framework";
import { TestApp } from "framework/http";
import { redrive } from "framework/runtime";
import { codeOf } from "../../support/kept-runs.js";

const hashOf = (name: string) => createHash("sha256").update(name).digest("base64url");
const signedIn = guard({
  name: "signed-in",
  writes: [VerifiedIdentity],
  run: (input, bus) => {
    bus.set(VerifiedIdentity, "alice");
    return pass(input);
  },
});

/** Subjects of the log and of the letter. */
function arranged() {
  const runs = new MemoryRuns();
  const letters = new MemoryDeadLetters();
  const kept = Axon.start<string>("order")
    .withPersistenceStore(runs)
    .withDlqSink(letters)
    .thenFn("refuse", () => fault("no"));
  const found = () => [
    (runs.read("run")[0] as { readonly subject?: string } | undefined)?.subject,
    letters.list()[0]?.subject,
  ];
  return { runs, letters, kept, found };
}

describe("the log and the letters of a run", () => {
  test("carry a hash of the verified identity that is on the Bus when the run begins", async () => {
    const { kept, found } = arranged();
    const ingress = Framework.http({ reporter: () => {} })
      .guard(signedIn)
      .provide(RunId, () => "run")
      .get("/", kept as never);
    await new TestApp(ingress).get("/");

    assert.deepEqual(found(), [hashOf("alice"), hashOf("alice")]);
    assert.equal(found()[0]?.length, 43);
  });

  test("carry that of an issuer's subject, as sessions do", async () => {
    const { kept, found } = arranged();
    const identity = { subject: "7", issuer: "https://id.example", roles: [], claims: {} };
    const reading = kept.then(transition({ name: "read", mayRead: [IamIdentity], run: () => 1 }));
    await reading.execute(
      "x",
      Bus.of([
        [RunId, "run"],
        [IamIdentity, identity],
      ]) as never,
    );

    assert.deepEqual(found(), Array(2).fill(hashOf("18:https://id.example:7")));
  });

  test("carry none where nobody is known, and what withSubject says of the input before all else", async () => {
    const { kept, runs, letters, found } = arranged();
    await kept.execute("x", Bus.of([[RunId, "run"]]));
    assert.deepEqual(found(), [undefined, undefined]);
    runs.remove("run");
    const named = kept.withSubject((input) => (input === "none" ? undefined : input));
    await named.execute("carol", Bus.of([[RunId, "run"]]));
    assert.deepEqual(found(), [hashOf("carol"), hashOf("carol")]);

    await redrive(letters, "run", named as never);
    assert.deepEqual(
      letters.list().map(({ subject, attempts }) => [subject, attempts]),
      [[hashOf("carol"), 2]],
    );
    runs.remove("run");
    await named.execute("none", Bus.of([[RunId, "run"]]));
    assert.deepEqual(found(), [undefined, undefined]);
  });

  test("carry it where runs are not kept, and a run whose function fails ends", async () => {
    const letters = new MemoryDeadLetters();
    const axon = Axon.start<string>("order")
      .withDlqSink(letters)
      .thenFn("refuse", () => fault("no"));
    await axon.withSubject((input) => input).execute("dora");

    assert.deepEqual(
      letters.list().map(({ subject }) => subject),
      [hashOf("dora")],
    );
    for (const of of [() => "", () => 7 as never, () => assert.fail("no")])
      assert.equal(codeOf(await axon.withSubject(of).execute("x")), "TRANSITION_PANIC");
    assert.throws(() => axon.withSubject("alice" as never), { code: "CONFIG_INVALID" });
  });

  test("carry it where layers stand around the Axon", async () => {
    for (const runs of [undefined, new MemoryRuns()]) {
      const letters = new MemoryDeadLetters();
      const axon = Axon.start("order", Type.Object({ who: Type.String() }))
        .withDlqSink(letters)
        .withSubject(({ who }) => who)
        .thenFn("refuse", () => fault("no"));
      const layer = { name: "around", run: (_: unknown, next: () => unknown) => next() };
      const ingress = Framework.http({ reporter: () => {} })
        .layer(layer)
        .guard(signedIn);
      const app = new TestApp(ingress.post("/", runs === undefined ? axon : axon.withPersistenceStore(runs)));
      await app.post("/", { json: { who: "eve" } });

      assert.deepEqual(
        letters.list().map(({ subject }) => subject),
        [hashOf("eve")],
      );
    }
  });
});
