import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { fromRoot } from "../../support/root.js";

const UI = fromRoot("src/inspector/ui");
const IMPORT = /^(?:import|export)\s+(type\s)?[{][^;]*?from\s+"([^"]+)";|^import\s+"([^"]+)";/gms;

/** What the page may run beside its own: no dependency of the server's is in what it brings. */
const SHARED =
  /^(?:#core\/ports\/run-state|(?:\.\.\/)+(?:api\/(?:leading-nodes|run-filter)|traces\/visits|breakpoints\/(?:condition|condition-tokens|parse-condition|schema-paths)))\.js$/;
const PACKAGES = new Set(["preact", "preact/hooks"]);

test("the Inspector's page imports types of the API alone, and runs nothing of the server but conditions, filters, visits and states", () => {
  const files = readdirSync(UI, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  let seen = 0;
  for (const name of files) {
    const depth = name.split("/").length - 1;
    for (const [, isType, from, bare] of readFileSync(join(UI, name), "utf8").matchAll(IMPORT)) {
      const specifier = (from ?? bare) as string;
      seen += 1;
      const up = /^(?:\.\.\/)*/.exec(specifier)?.[0].length ?? 0;
      const isInside = specifier.startsWith(".") && up / 3 <= depth;
      if (isInside || isType !== undefined || PACKAGES.has(specifier) || SHARED.test(specifier)) continue;
      assert.fail(`${name} imports ${specifier}`);
    }
  }

  assert.ok(seen > 200, `${seen} imports were read`);
});
