import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, layer, transition } from "framework";
import { ExecutionMode, MemoryDeadLetters, MemoryLocks, MemoryRuns } from "framework/runtime";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { mounted } from "#runtime/definition/mounted.js";
import { processStateOf } from "#runtime/run/process-state.js";
import { assertSaid } from "../../support/said.js";

const keeping = (name: string) =>
  transition({ name, perProcess: `what ${name} knows`, run: (input: number) => input });

describe("processStateOf", () => {
  test("finds what steps keep, be it in a branch, a subgraph or a parallel step, and each once", () => {
    const axon = Axon.start<number>("all")
      .then(keeping("main"))
      .then(keeping("main"))
      .subgraph(Axon.start<number>("sub").then(keeping("inner")))
      .thenFn("choose", (n) => branch("b", n), { branches: ["b"] })
      .branch("b", Axon.start<number>("b").then(keeping("branched")))
      .parallel([keeping("beside")], "AllMustSucceed", (_, n) => n)
      .thenFn("nothing", (n) => n);

    assert.deepEqual(
      [...processStateOf(axon.definition)],
      ["main", "inner", "branched", "beside"].map((name) => `'${name}' keeps what ${name} knows`),
    );
  });

  test("finds what layers keep, in front of it and of what it contains", () => {
    const layered = (name: string, axon: AxonDefinition) =>
      mounted(axon, {
        layers: [layer({ name, perProcess: `what ${name} knows`, run: (_, next) => next() })],
        guards: [],
      });
    const axon = layered("outer", Axon.start<number>("x").thenFn("nothing", (n) => n).definition);

    assert.deepEqual([...processStateOf(axon)], ["'outer' keeps what outer knows"]);
  });

  test("finds runs and dead letters that other processes do not have", () => {
    const inner = Axon.start<number>("inner")
      .thenFn("run", (n) => n)
      .withDlqSink(new MemoryDeadLetters());
    const kept = Axon.start<number>("kept").subgraph(inner).withPersistenceStore(new MemoryRuns());

    assertSaid(
      [...processStateOf(kept.definition)],
      [/^'kept' keeps its runs in memory/, /^'inner' keeps its dead letters in memory/],
    );
  });

  test("finds a lock that other processes do not see", () => {
    const locked = Axon.start("alone")
      .thenFn("run", () => 1)
      .withExecutionMode(ExecutionMode.singleton("key", 1000, new MemoryLocks()));

    assertSaid([...processStateOf(locked.definition)], [/^'alone' keeps its lock in memory/]);
  });
});
