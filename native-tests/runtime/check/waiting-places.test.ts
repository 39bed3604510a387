import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import {
  Axon,
  ExecutionMode,
  Framework,
  MemoryLocks,
  MemoryRuns,
  RetryPolicy,
  Stores,
  signal,
} from "framework";
import { TestApp } from "framework/http";
import { requireWaitingPlaces } from "#runtime/check/waiting-places.js";
import { Program } from "#runtime/compile/program.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";

/** The store of an ingress, which is known when it is mounted. */
const kept = (name = "order") => Axon.start<number>(name).withPersistenceStore(Stores.mounted);
const napping = Axon.start<number>("nap").sleep("night", 1000);
const child = Axon.start<number>("child").withPersistenceStore(Stores.mounted);

interface Built {
  readonly definition: AxonDefinition;
}

const check = ({ definition }: Built): void => requireWaitingPlaces(definition);

const refused = (axon: Built, message: RegExp): void =>
  assert.throws(() => check(axon), { code: "WAIT_MISPLACED", message });

describe("A run may wait", () => {
  test("in its line, in branches, in subgraphs and behind a jump", () => {
    const branching = kept()
      .label("top")
      .thenFn("choose", (n, bus) => (bus.signal.aborted ? n : n), {})
      .waitFor(signal<number>()("ready", Type.Number()), { timeoutMs: 1, onTimeout: "late" })
      .branch("late", napping)
      .subgraph(napping)
      .startRun(child)
      .awaitRun(child);

    check(branching);
  });

  test("beside a subgraph under a lock, which the wait does not hold", () => {
    const locked = Axon.start<number>("locked")
      .thenFn("write", (n) => n)
      .withExecutionMode(ExecutionMode.singleton("orders", 1000, new MemoryLocks()));

    check(kept().subgraph(locked).sleep("night", 1));
  });
});

describe("A run may be begun", () => {
  test("of an Axon that is mounted beside", () => {
    const runs = new MemoryRuns();
    const other = Axon.start<void>("other")
      .thenFn("do", () => 1)
      .withPersistenceStore(runs);
    const inner = Axon.start<void>("inner").startRun(other);
    const parent = Axon.start<void>("parent").subgraph(inner).withPersistenceStore(runs);
    const alone = Framework.http().get("/", parent);

    assert.throws(() => new TestApp(alone), {
      code: "CONFIG_INVALID",
      message: /Axon 'parent' begins runs of Axon 'other', which is not mounted here: mount it/,
    });
    new TestApp(alone.get("/other", other));
  });
});

describe("A step may not wait", () => {
  test("inside parallel steps, at any depth", () => {
    const merge = (): number => 1;
    const inner = Axon.start<number>("inner").subgraph(napping).asTransition();

    refused(
      kept().parallel([inner], "AllMustSucceed", merge, { name: "both" }),
      /Step 'night' of Axon 'nap' waits inside the parallel step 'both': wait before or after it/,
    );
  });

  test("inside what is retried, limited or undone as one", () => {
    const step = napping.asTransition();

    refused(kept().thenWithRetry(step, RetryPolicy.fixed(2, 1)), /inside 'nap', which is retried: retry the/);
    refused(kept().thenWithTimeout(step, 10), /inside 'nap', which has a time limit: .* its timeoutMs/);
    refused(
      kept().thenCompensated(step, () => undefined),
      /inside 'nap', which is undone as one: undo the single steps/,
    );
  });

  test("under a lock, of its own Axon or of one around it", () => {
    const mode = ExecutionMode.singleton("orders", 1000, new MemoryLocks());
    const message = /waits under the lock 'orders' of Axon '(order|nap)': put the steps that need the lock/;

    refused(kept().subgraph(napping).withExecutionMode(mode), message);
    refused(kept().subgraph(napping.withExecutionMode(mode)), message);
    check(kept().startRun(child).withExecutionMode(mode));
  });

  test("if no log keeps the run up to it, or the store wakes no runs", () => {
    const runs = new MemoryRuns();
    const deaf = { ...Stores.mounted };

    refused(napping, /'nap' waits, and Axon 'nap' keeps no runs: add \.withPersistenceStore/);
    refused(Axon.start<number>("order").startRun(child), /begins a run, and Axon 'order' keeps no runs/);
    refused(
      napping.withPersistenceStore(runs, { checkpoint: "async" }),
      /the checkpoints of Axon 'nap' are 'async': leave 'checkpoint'/,
    );
    refused(
      napping.withPersistenceStore(deaf),
      /the store of Axon 'nap' keeps no runs that wait: use a store/,
    );
  });

  test("for a signal under whose name another schema stands", () => {
    const text = signal<string>()("done", Type.String());
    const number = signal<number>()("done", Type.Number());

    check(kept().waitFor(text).waitFor(text, { name: "again" }));
    assert.throws(() => check(kept().waitFor(text).waitFor(number, { name: "again" })), {
      code: "CONFIG_INVALID",
      message: /two kinds of the signal 'done' have different schemas/,
    });
  });

  test("for a WebSocket, whose connection nothing keeps", () => {
    const message = Axon.start<string>("chat").sleep("night", 1).withPersistenceStore(Stores.mounted);

    assert.throws(() => Framework.http().ws("/chat", { message } as never), {
      code: "WAIT_MISPLACED",
      message: /Step 'night' of Axon 'chat' waits in message of ws\('\/chat'\).*: begin a run by startRun/,
    });
  });

  test("wherever a program runs it: on a route and by execute", () => {
    assert.throws(() => Framework.http().get("/", napping as never), { code: "WAIT_MISPLACED" });
    assert.throws(() => new Program(napping.definition), { code: "WAIT_MISPLACED" });
    assert.throws(() => void napping.execute(1), { code: "WAIT_MISPLACED" });
  });
});
