import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { danger } from "#schema/dangerous-pattern.js";

describe("danger of a pattern", () => {
  test("is seen in repetitions that are nested", () => {
    for (const pattern of [/^(a+)+$/u, /^(\w+\s?)*$/u, /(x+x+)+y/u, /^([a-z0-9]+[-_]?)+$/u]) {
      assert.match(danger(pattern) ?? "", /nested/, String(pattern));
    }
  });

  test("is seen in repeated choices that overlap", () => {
    for (const pattern of [/^(\w|\d)+$/u, /^(?:a|a)*$/u, /^(a|aa)+$/u, /^(\s|\n){0,50}$/u]) {
      assert.match(danger(pattern) ?? "", /overlap/, String(pattern));
    }
  });

  test("is not seen in what people write every day", () => {
    const daily = [
      /^[^@ ]+@[^@ ]+$/u,
      /^[a-z]+(-[a-z]+)*$/u,
      /^(foo|far|baz)*$/u,
      /^(?:[^"\\]|\\.)*$/u,
      /^\d{4}-\d{2}$/u,
    ];
    for (const pattern of [...daily, /^(?:[a-z0-9]+\.)+[a-z]{2,}$/u, /^(ab|c){2}$/u])
      assert.equal(danger(pattern), undefined, String(pattern));
  });
});
