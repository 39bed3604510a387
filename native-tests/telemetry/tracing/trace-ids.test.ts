import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { decidingPart, leastOf, TraceIds } from "#telemetry/tracing/trace-ids.js";

describe("ids of traces", () => {
  test("are 32 digits for a trace and 16 for a part of it, and never the same", () => {
    const ids = new TraceIds();
    const [traces, spans] = [new Set<string>(), new Set<string>()];
    for (let i = 0; i < 5000; i += 1) {
      traces.add(ids.trace());
      spans.add(ids.span());
    }

    assert.deepEqual([traces.size, spans.size], [5000, 5000]);
    for (const id of traces) assert.match(id, /^[0-9a-f]{32}$/);
    for (const id of spans) assert.match(id, /^[0-9a-f]{16}$/);
  });

  test("use each random byte once", () => {
    let next = 0;
    const ids = new TraceIds((bytes) => {
      for (let i = 0; i < bytes.length; i += 1) {
        bytes[i] = next % 251;
        next += 1;
      }
    });
    const drawn = Array.from({ length: 300 }, () => ids.trace() + ids.span()).join("");

    assert.ok(!/^(..)\1/.test(drawn));
    assert.equal(new Set(drawn.match(/.{48}/g)).size, 251);
  });

  test("are never all zeroes, which is no id", () => {
    const fills = [0, 7];
    const ids = new TraceIds((bytes) => bytes.fill(fills.shift() ?? 9));

    assert.equal(ids.span(), "07".repeat(8));
  });

  test("of new traces are drawn for the part of them that is kept, and for no others", () => {
    const ids = new TraceIds();
    for (const [ratio, low, high] of [
      [0, 0, 0],
      [0.1, 800, 1200],
      [0.5, 4700, 5300],
      [1, 10_000, 10_000],
    ] as const) {
      const kept = Array.from({ length: 10_000 }, () => ids.traceFrom(leastOf(ratio))).filter(
        (id) => id !== undefined,
      );

      assert.ok(kept.length >= low && kept.length <= high, `${kept.length} of 10 000 at ${ratio}`);
      for (const id of kept) {
        assert.match(id, /^[0-9a-f]{32}$/);
        assert.ok(decidingPart(id) >= leastOf(ratio));
      }
    }
  });
});
