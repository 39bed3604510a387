import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { keys } from "#config/keys.js";
import { nearest, slips } from "#core/nearest.js";

const known = keys.map((key) => ({ name: key.path, tail: key.name }));
const near = (path: string) => nearest(path, path.split(".").at(-1) as string, known);
const words = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });

/** The same by its definition, which takes exponential time. */
function slowly(one: string, other: string): number {
  if (one === "" || other === "") return one.length + other.length;
  const same = one.at(-1) === other.at(-1) ? 0 : 1;
  const ways = [
    slowly(one.slice(0, -1), other) + 1,
    slowly(one, other.slice(0, -1)) + 1,
    slowly(one.slice(0, -1), other.slice(0, -1)) + same,
  ];
  if (one.length > 1 && other.length > 1 && one.at(-1) === other.at(-2) && one.at(-2) === other.at(-1))
    ways.push(slowly(one.slice(0, -2), other.slice(0, -2)) + 1);
  return Math.min(...ways);
}

describe("slips", () => {
  test("counts insertions, losses, replacements and swapped neighbours", () => {
    fc.assert(fc.property(words, words, (one, other) => assert.equal(slips(one, other), slowly(one, other))));
  });
});

describe("the nearest key", () => {
  test("is the one that a slip of the hand made", () => {
    const slip = fc.record({
      key: fc.constantFrom(...keys),
      at: fc.nat(),
      kind: fc.constantFrom("drop", "double", "swap"),
    });

    fc.assert(
      fc.property(slip, ({ key, at, kind }) => {
        const path = key.path;
        const i = at % (path.length - 1);
        const [a, b] = [path[i] as string, path[i + 1] as string];
        const pair = kind === "drop" ? b : kind === "double" ? a + a + b : b + a;
        const slipped = path.slice(0, i) + pair + path.slice(i + 2);

        const [found] = near(slipped);

        assert.ok(found !== undefined, slipped);
        assert.ok(slips(slipped.replaceAll("_", ""), found.replaceAll("_", "")) <= 1, `${slipped} ${found}`);
      }),
    );
  });

  test("is found in camelCase and with dashes", () => {
    assert.deepEqual(near("server.bodyLimitBytes"), ["server.body_limit_bytes"]);
    assert.deepEqual(near("inspector.capture-payloads"), ["inspector.capture_payloads"]);
  });

  test("is found without its section, or in another, wherever the name is known", () => {
    assert.deepEqual(near("port"), ["server.port", "inspector.port"]);
    assert.deepEqual(near("logging.trusted_proxies"), ["server.trusted_proxies"]);
  });

  test("is none where nothing is near", () => {
    assert.deepEqual(near("server.colour"), []);
    assert.deepEqual(near("x".repeat(100_000)), []);
  });
});
