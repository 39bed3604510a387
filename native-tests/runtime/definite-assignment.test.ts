import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, busKey, jump, RetryPolicy, transition } from "framework";
import type { AnyAxon } from "#runtime/axon-types.js";
import { missingKeys } from "#runtime/definite-assignment.js";
import { Program } from "#runtime/program.js";

const K = busKey<string>()("K");

const write = transition({
  name: "write",
  writes: [K],
  run: (n: number, bus) => {
    bus.set(K, "k");
    return n;
  },
});
const read = transition({ name: "read", reads: [K], run: (n: number, bus) => n + bus.get(K).length });
const missing = (axon: { readonly definition: AnyAxon["definition"] }, given: readonly (typeof K)[] = []) =>
  missingKeys("x", new Program(axon.definition).code, given);

describe("a key that a step reads", () => {
  test("is there when every path has written it, or it is given", () => {
    assert.deepEqual(missing(Axon.start<number>("x").then(write).then(read)), []);
    assert.deepEqual(missing(Axon.start<number>("x").then(read), [K]), []);
  });

  test("is missing where no step writes it", () => {
    assert.deepEqual(missing(Axon.start<number>("x").then(read)), [
      "'K' for step 'read' of Axon 'x' (no step writes it)",
    ]);
  });

  test("is missing where a jump goes round the step that writes it, and the path is told", () => {
    const axon = Axon.start<number>("x")
      .thenFn("skip", (n) => (n > 0 ? jump("on", n) : n), { jumps: ["on"] })
      .then(write)
      .label("on")
      .then(read);

    assert.deepEqual(missing(axon), ["'K' for step 'read' of Axon 'x' (unwritten on the path skip -> read)"]);
  });

  test("is missing after a branch where only the branch writes it", () => {
    const side = Axon.start<number>("side").then(write);
    const axon = Axon.start<number>("x")
      .thenFn("go", (n) => (n > 0 ? branch("s", n) : n), { branches: ["s"] })
      .branch("s", side)
      .then(read);

    assert.deepEqual(missing(axon), ["'K' for step 'read' of Axon 'x' (unwritten on the path go -> read)"]);
  });

  test("is missing in the branch of the step that writes it, which promises that for Next alone", () => {
    const side = Axon.start<number>("side").then(read);
    const go = transition({
      name: "go",
      writes: [K],
      branches: ["s"],
      run: (n: number, bus) => {
        if (n > 0) return branch("s", n);
        bus.set(K, "k");
        return n;
      },
    });

    assert.deepEqual(missing(Axon.start<number>("x").then(go).branch("s", side)), [
      "'K' for step 'read' of Axon 'x' (unwritten on the path go -> read)",
    ]);
  });

  test("is there in a branch that the main line wrote it for", () => {
    const side = Axon.start<number>("side").then(read);
    const axon = Axon.start<number>("x")
      .then(write)
      .thenFn("go", (n) => branch("s", n), { branches: ["s"] })
      .branch("s", side);

    assert.deepEqual(missing(axon), []);
  });

  test("stays there through a loop", () => {
    const axon = Axon.start<number>("x")
      .then(write)
      .label("again")
      .then(read)
      .thenFn("check", (n) => (n < 5 ? jump("again", n) : n), { jumps: ["again"] });

    assert.deepEqual(missing(axon), []);
  });

  test("is missing where the way round the step that writes it is the longer one", () => {
    const axon = Axon.start<number>("x")
      .thenFn("go", (n) => (n > 0 ? jump("write", n) : n), { jumps: ["write"] })
      .thenFn("plain", (n) => n)
      .thenFn("skip", (n) => (n > 0 ? jump("read", n) : n), { jumps: ["read"] })
      .label("write")
      .then(write)
      .label("read")
      .then(read);

    assert.deepEqual(missing(axon), [
      "'K' for step 'read' of Axon 'x' (unwritten on the path go -> plain -> skip -> read)",
    ]);
  });

  test("is there or missing behind a subgraph that is tried again, as its own line has it", () => {
    const retry = RetryPolicy.fixed(1, 0);
    const behind = (inner: Axon<number, number, never, never, any, never, never, never, any>) => {
      const nested = Axon.start<number>("nested").thenWithRetry(inner.asTransition(), retry);
      return Axon.start<number>("x").thenWithRetry(nested.asTransition(), retry).then(read);
    };

    assert.deepEqual(missing(behind(Axon.start<number>("inner").then(write))), []);
    assert.deepEqual(missing(behind(Axon.start<number>("inner").thenFn("plain", (n) => n))), [
      "'K' for step 'read' of Axon 'x' (no step writes it)",
    ]);
  });

  test("is missing where what undoes a step reads it, but for what that step writes", () => {
    const undo = transition({ name: "undo", reads: [K], run: (_: unknown, bus) => void bus.get(K) });
    const begin = Axon.start<number>("x");

    assert.deepEqual(missing(begin.thenCompensated({ name: "do", run: (n: number) => n }, undo)), [
      "'K' for step 'do' of Axon 'x' (no step writes it)",
    ]);
    assert.deepEqual(missing(begin.thenCompensated(write, undo)), []);
  });

  test("is not asked for where no path leads", () => {
    assert.deepEqual(missingKeys("x", [], []), []);
  });
});
