import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryDeadLetters } from "framework";
import { deadLetterStoreContract } from "../contracts/dead-letter-store.js";

deadLetterStoreContract("memory", () => new MemoryDeadLetters());

describe("MemoryDeadLetters", () => {
  const letter = (id: string, input: unknown = 1) => ({
    id,
    kind: "step" as const,
    axon: "a",
    version: "1.0.0",
    node: "a/s",
    input,
    error: "no",
    timeline: undefined,
    failed_at: 1,
    attempts: 1,
  });

  test("drops the oldest beyond its bound, and counts them", () => {
    const letters = new MemoryDeadLetters({ maxLetters: 2 });
    for (const id of ["a", "b", "c", "d"]) letters.send(letter(id));

    assert.deepEqual(
      letters.list().map(({ id }) => id),
      ["c", "d"],
    );
    assert.equal(letters.dropped, 2);
    assert.throws(() => new MemoryDeadLetters({ maxLetters: 0 }), { code: "CONFIG_INVALID" });
  });

  test("keeps objects and lists as they were", () => {
    const letters = new MemoryDeadLetters();
    const [object, list] = [{ n: 1 }, [{ n: 1 }]];
    letters.send(letter("object", object));
    letters.send(letter("list", list));
    object.n = 2;
    list.push({ n: 2 });

    assert.deepEqual([letters.get("object")?.input, letters.get("list")?.input], [{ n: 1 }, [{ n: 1 }]]);
  });

  test("keeps what cannot be copied as it is", () => {
    const letters = new MemoryDeadLetters();
    const input = { call: () => 1 };
    letters.send(letter("a", input));

    assert.equal(letters.get("a")?.input, input);
  });
});
