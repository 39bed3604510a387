import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunEntry } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";
import { maskedEntry, shownStored } from "../../../src/cli/runs/masked.js";

const entryOf = (input: Json): RunEntry => ({
  ...{ kind: "begun", at: 1, axon: "a", version: "1", node: "a.1", input, bus: {}, jumps: 0 },
});
const inputOf = (input: Json): Json => (maskedEntry(entryOf(input)) as { readonly input: Json }).input;

describe("masked values of runs", () => {
  test("keep their structure, and lose as a whole what a mask would make unreadable", () => {
    // MV1: what is masked can be read.
    const address = { street: "Main Street 1", floors: [1, 2], isHome: true, none: null };
    assert.deepEqual(inputOf({ email: "ada@example.org", address, n: 7 }), {
      email: "[redacted]",
      address: { street: "[redacted]", floors: ["[redacted]", "[redacted]"], isHome: true, none: null },
      n: 7,
    });
    assert.deepEqual(inputOf({ born: { $: ["date", 0] }, at: { $: ["date", 0] } }), {
      ...{ born: "[redacted]", at: { $: ["date", 0] } },
    });
    assert.deepEqual(inputOf({ by: { $: ["map", [["x", "ada@example.org"]]] } }), { by: "[redacted]" });
    assert.deepEqual(inputOf({ rows: { "ada@example.org": 1 } }), { rows: "[redacted]" });
    const pairs = inputOf({ by: { $: ["map", [["password", "hunter2"]]] } });
    assert.doesNotMatch(JSON.stringify(pairs), /hunter2/);
  });

  test("are masked whole where they are too large to be searched", () => {
    // MV2: padding hides nothing.
    assert.equal(inputOf(Array.from({ length: 30_000 }, (_, n) => n)), "[redacted]");
  });

  test("are shown decoded, and as they are stored where they cannot be", () => {
    assert.deepEqual(shownStored({ n: { $: ["bigint", "12"] } }), { n: "12" });
    assert.deepEqual(shownStored({ $: ["unheard", 1] }), { $: ["unheard", 1] });
    assert.deepEqual(shownStored({ token: "t0p" }), { token: "[redacted]" });
  });
});
