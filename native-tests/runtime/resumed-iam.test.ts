// What becomes of identities in runs that are kept, and in those that begin in the middle.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Bus,
  IamIdentity,
  IamPolicy,
  IamToken,
  type IamVerifier,
  MemoryDeadLetters,
  MemoryRuns,
  RunId,
  VerifiedIdentity,
} from "framework";
import { turn } from "../support/executor-runs.js";
import { codeOf, never, taken } from "../support/kept-runs.js";

/** Hangs in the verifier or in the step behind it, until told otherwise. */
const arranged = () => {
  const world = { calls: [] as string[], hangs: "" };
  const verifier: IamVerifier = {
    verify: (token) => {
      world.calls.push(`verify ${token}`);
      return world.hangs === "verifier"
        ? never()
        : { subject: token, roles: [], claims: { deep: { list: [1] } } };
    },
  };
  const say = (name: string) => (n: number) => {
    world.calls.push(name);
    return world.hangs === name ? (never() as unknown as number) : n + 1;
  };
  const inner = Axon.start<number>("inner")
    .withIam(IamPolicy.requireIdentity(), verifier)
    .thenFn("inside", say("inside"))
    .thenFn("who", (n, bus) => `${n} ${bus.get(IamIdentity).subject} ${bus.get(VerifiedIdentity)}`, {
      reads: [IamIdentity, VerifiedIdentity],
    });
  /** Leaves the run "r", of ada's token, where it hangs. */
  const stopAt = async (where: string, axon: { execute(input: number, bus: never): unknown }) => {
    world.hangs = where;
    const bus = Bus.of([
      [RunId, "r"],
      [IamToken, "ada"],
    ]);
    void axon.execute(1, bus as never);
    await turn();
    world.hangs = "";
  };
  return { world, inner, say, stopAt };
};

describe("a kept run", () => {
  test("that goes on behind its verification has kept who it was, and asks nobody", async () => {
    const { world, inner, stopAt } = arranged();
    const axon = inner.withPersistenceStore(new MemoryRuns());
    await stopAt("inside", axon);

    assert.equal(await taken(axon, "r"), "2 ada ada");
    assert.deepEqual(world.calls, ["verify ada", "inside", "inside"]);
  });

  test("that was stopped before an inner verification goes on there, and no step runs twice", async () => {
    const { world, inner, say, stopAt } = arranged();
    const axon = Axon.start<number>("outer")
      .withPersistenceStore(new MemoryRuns())
      .thenFn("before", say("before"))
      .subgraph(inner);
    await stopAt("verifier", axon);

    assert.equal(await taken(axon, "r", Bus.of([[IamToken, "bob"]])), "3 bob bob");
    assert.deepEqual(world.calls, ["before", "verify ada", "verify bob", "inside"]);
  });

  test("keeps no token: an inner verification that is still to come needs one again", async () => {
    const { world, inner, say, stopAt } = arranged();
    const axon = Axon.start<number>("outer")
      .withPersistenceStore(new MemoryRuns())
      .thenFn("before", say("before"))
      .subgraph(inner);
    await stopAt("before", axon);

    assert.equal(codeOf(await taken(axon, "r")), "TOKEN_MISSING");
    assert.deepEqual(world.calls, ["before", "before"]);
  });
});

test("who is refused leaves no dead letter", async () => {
  const { inner } = arranged();
  const letters = new MemoryDeadLetters();
  const outcome = await inner.withDlqSink(letters).execute(1);

  assert.equal(codeOf(outcome), "TOKEN_MISSING");
  assert.deepEqual(letters.list(), []);
});

describe("a run that begins in the middle", () => {
  const identity: IamIdentity = { subject: "eve", roles: [], claims: {} };
  const given = Bus.of([
    [IamIdentity, identity],
    [VerifiedIdentity, "eve"],
  ]);

  test("is given the identity, and not verified again", async () => {
    const { world, inner } = arranged();

    assert.equal(await inner.executeFrom("inner/inside", 1, given), "2 eve eve");
    assert.deepEqual(world.calls, ["inside"]);
  });

  test("says what it needs where it is not given", () => {
    const { inner } = arranged();

    assert.throws(
      () => inner.executeFrom("inner/inside", 1),
      (error: unknown) => (error as { code: string }).code === "KEYS_UNPROVIDED",
    );
  });

  test("may begin at an inner verification, and not at its own", async () => {
    const { world, inner } = arranged();
    const outer = Axon.start<number>("outer").subgraph(inner);
    const from = outer.executeFrom("outer/inner:iam", 1, Bus.of([[IamToken, "ada"]]));

    assert.equal(await from, "2 ada ada");
    assert.deepEqual(world.calls, ["verify ada", "inside"]);
    assert.throws(
      () => inner.executeFrom("inner:iam", 1),
      (error: unknown) => (error as { code: string }).code === "AXON_NODE_UNKNOWN",
    );
  });
});
