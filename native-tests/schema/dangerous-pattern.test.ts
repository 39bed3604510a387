import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { danger } from "#schema/dangerous-pattern.js";

describe("danger of a pattern", () => {
  test("is seen in repetitions that are nested", () => {
    for (const pattern of [/^(a+)+$/u, /^(\w+\s?)*$/u, /(x+x+)+y/u, /^([a-z0-9]+[-_]?)+$/u, /^(a*b*)*$/u]) {
      assert.ok(danger(pattern), String(pattern));
    }
  });

  test("is seen in repeated choices that overlap", () => {
    for (const pattern of [/^(\w|\d)+$/u, /^(?:a|a)*$/u, /^(a|aa)+$/u, /^(\s|\n){0,50}$/u, /^(a|b|ab)*$/u]) {
      assert.ok(danger(pattern), String(pattern));
    }
  });

  test("is seen however deep the choice is nested", () => {
    for (const pattern of [
      /^(a(b|b))*$/u,
      /^(a(b|[a-c])d?)+$/u,
      /^(x(y(z|z?z))*)*$/u,
      /^((a?|b?)c)*$/u,
      /^(\d+,?)+$/,
      /^(?:(?:ab|a)(?:b|c)?)*$/u,
      /^(?=a)(a|(a))*$/u,
      /^(a)(\1|a)*$/u,
    ])
      assert.ok(danger(pattern), String(pattern));
  });

  test("is seen in repetitions that end, where there are many", () => {
    for (const pattern of [/^(a{1,30}){1,30}$/u, /^(\d{1,3})*$/u, /^(x{1,9}){9}$/u])
      assert.ok(danger(pattern), String(pattern));
  });

  test("is not seen in what people write every day", () => {
    const daily = [
      /^[^@ ]+@[^@ ]+$/u,
      /^[a-z]+(-[a-z]+)*$/u,
      /^(foo|far|baz)*$/u,
      /^(?:[^"\\]|\\.)*$/u,
      /^\d{4}-\d{2}$/u,
    ];
    const repeated = [
      /^(?:[a-z0-9]+\.)+[a-z]{2,}$/u,
      /^(ab|c){2}$/u,
      /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u,
      /^(\d{1,3}\.){3}\d{1,3}$/u,
      /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/u,
      /^#(?:[0-9a-f]{3}){1,2}$/iu,
      /^[a-z]+(?:[A-Z][a-z]*)*$/u,
      /^(?:\+\d{1,3} )?(?:\d{2,4}[ -])*\d{2,4}$/u,
      /^(?:[\w-]+=[^;]*; )*$/u,
      /^(a{0}b|c)*$/u,
    ];
    for (const pattern of [...daily, ...repeated]) assert.equal(danger(pattern), undefined, String(pattern));
  });
});
