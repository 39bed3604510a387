// docs/inspector-page.md says conditions, requests and bounds: they are those of the code.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { TSchema } from "@sinclair/typebox";

import { MAX_HOLD_MS, NewBreakpoint, Release } from "#inspector/api/breakpoints.js";
import { Alert } from "#inspector/api/watching.js";
import { Breakpoints } from "#inspector/breakpoints/breakpoints.js";
import {
  ConditionError,
  MAX_CONDITION_LENGTH,
  MAX_NESTING,
  MAX_PATH_LENGTH,
} from "#inspector/breakpoints/condition.js";
import { parseCondition } from "#inspector/breakpoints/parse-condition.js";
import { Steering } from "#inspector/breakpoints/steering.js";
import { Stalls } from "#inspector/stalls/stalls.js";
import { compileSchema } from "#schema/compile/validator.js";
import { pageAt, textsIn } from "./page.js";

const page = pageAt("docs/inspector-page.md");
const section = (name: string): string =>
  page.text.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? "";

describe("docs/inspector-page.md", () => {
  test("shows conditions that parse", () => {
    const shown = [...section("Conditions").matchAll(/^\| `(.+?)` \|/gm)].map(([, text = ""]) =>
      text.replaceAll("\\|", "|"),
    );

    assert.equal(shown.length, 8);
    for (const text of shown) assert.doesNotThrow(() => parseCondition(text), text);
  });

  test("shows what one is answered that does not", () => {
    const [block = ""] = textsIn(page, "text");
    const [condition = "", message = ""] = block.trim().split("\n");

    assert.throws(
      () => parseCondition(condition),
      (error) => error instanceof ConditionError && error.message === message,
    );
  });

  test("shows requests that are taken", () => {
    const taken = (schema: TSchema, text: string | undefined) =>
      compileSchema(schema, { owner: "t", origin: "program", generate: false }).check(JSON.parse(text ?? ""));

    const [breakpoint, release, ...others] = textsIn(page, "json");
    assert.deepEqual(others, []);
    assert.ok(taken(NewBreakpoint, breakpoint));
    assert.ok(taken(Release, release));
  });

  test("says the bounds and defaults that hold", () => {
    const says = (part: string, ...words: (string | number)[]) => {
      for (const word of words) assert.ok(section(part).includes(String(word)), `${part}: ${word}`);
    };

    says(
      "Conditions",
      `${MAX_CONDITION_LENGTH} characters`,
      `${MAX_NESTING} parentheses`,
      `${MAX_PATH_LENGTH} parts`,
    );
    says("Breakpoints", `at most ${MAX_HOLD_MS}`, `At most ${new Steering().maxHeld} runs`);
    says("Breakpoints", `Up to ${new Breakpoints().maxBreakpoints} can be set`);
    says("Stalls", new Stalls().thresholdMs.toLocaleString("en").replace(",", " "));
  });

  test("names each kind of alert", () => {
    const named = [...section("Alerts").matchAll(/^\| `(\w+)` \|/gm)].map(([, kind]) => kind);

    assert.deepEqual(named.sort(), Alert.properties.kind.anyOf.map((kind) => kind.const).sort());
  });
});
