import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { fromRoot } from "../../support/root.js";

// Of each colour the light and the dark one, as theme/tokens.css has them.
const css = readFileSync(fromRoot("src/inspector/ui/theme/tokens.css"), "utf8");
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name as string, { light: light as string, dark: dark as string }],
  ),
);

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const SURFACES = ["ground", "panel", "raised"];
const TEXTS: readonly (readonly [text: string, on: readonly string[]])[] = [
  ["ink", [...SURFACES, "accent-soft", "fault-soft", "held-soft"]],
  ["dim", [...SURFACES, "accent-soft"]],
  ["accent", [...SURFACES, "accent-soft"]],
  ["fault", [...SURFACES, "fault-soft", "accent-soft"]],
  ["held", [...SURFACES, "held-soft", "accent-soft"]],
  ["on-accent", ["accent"]],
  ["panel", ["ink"]],
  ["heat-4", ["ground", "panel"]],
];
/** Borders of fields and buttons, and what is drawn with a meaning: 3 is enough (WCAG 2.2, 1.4.11). */
const LINES: readonly (readonly [line: string, on: readonly string[]])[] = [
  ["line-strong", ["ground", "panel"]],
  ["heat-3", ["ground", "panel"]],
];

describe("the colours of the Inspector's page", () => {
  for (const scheme of ["light", "dark"] as const) {
    const colorOf = (name: string): string => {
      const token = tokens.get(name);
      assert.ok(token !== undefined, `--${name} is no colour of tokens.css`);
      return token[scheme];
    };
    test(`can be read when it is ${scheme}: text has a contrast of 4.5 or more`, () => {
      for (const [text, surfaces] of TEXTS)
        for (const surface of surfaces) {
          const found = contrast(colorOf(text), colorOf(surface));
          assert.ok(found >= 4.5, `${text} on ${surface}: ${found.toFixed(2)}`);
        }
    });

    test(`can be told apart when it is ${scheme}: lines have a contrast of 3 or more`, () => {
      for (const [line, surfaces] of LINES)
        for (const surface of surfaces) {
          const found = contrast(colorOf(line), colorOf(surface));
          assert.ok(found >= 3, `${line} on ${surface}: ${found.toFixed(2)}`);
        }
    });

    test(`have a scale of heat that goes one way when it is ${scheme}`, () => {
      const steps = [0, 1, 2, 3, 4].map((level) => luminance(colorOf(`heat-${level}`)));
      const sorted = [...steps].sort((a, b) => (scheme === "light" ? b - a : a - b));

      assert.deepEqual(steps, sorted);
    });
  }

  test("stand in tokens.css alone", () => {
    const folder = fromRoot("src/inspector/ui");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.(css|tsx?)$/.test(name),
    );
    const others = files.filter((name) => !name.endsWith("tokens.css"));

    assert.ok(files.length > others.length);
    for (const name of others)
      assert.doesNotMatch(readFileSync(join(folder, name), "utf8"), /#[0-9a-f]{6}\b|#[0-9a-f]{3};/i, name);
  });
});
