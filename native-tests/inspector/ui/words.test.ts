import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseSync, Visitor } from "oxc-parser";

import { builtInspectorPage } from "../../support/built-page.js";

/** Persons where the text is about code or data, and verbs that are riddles. */
const FORBIDDEN = [
  /\b(?:who|whoever|whom|whose|somebody|someone|nobody|anybody|him|his)\b/i,
  /\b(?:goes|go|went|gone|going) (?:on|through|away)\b/i,
  /\b(?:let|lets|made|make) (?:go|room)\b/i,
  /\b(?:stands?|came of|comes? to|says (?:so|what|more)|is told|looked at|thrown away|not there)\b/i,
  /\b(?:no \w+ fits|nothing stalls|all the same|asked again|for good|under way|kept runs?)\b/i,
];

test("no text of the built page has a word that needs a second reading", async () => {
  const folder = await builtInspectorPage();
  const assets = readdirSync(join(folder, "assets")).filter((name) => name.endsWith(".js"));
  const html = readFileSync(join(folder, "index.html"), "utf8").replace(/<!--[\s\S]*?-->/g, "");
  const texts = [...html.matchAll(/>([^<>]+)</g)].map(([, text]) => text ?? "");
  for (const name of assets) {
    const { program, errors } = parseSync(name, readFileSync(join(folder, "assets", name), "utf8"));
    assert.deepEqual(errors, []);
    const visitor = new Visitor({
      Literal: ({ value }) => {
        if (typeof value === "string") texts.push(value);
      },
      TemplateElement: ({ value }) => {
        texts.push(value.raw);
      },
    });
    visitor.visit(program);
  }

  assert.ok(texts.includes("No stalled nodes"), "texts of the views were read");
  const found = texts.filter((text) => FORBIDDEN.some((pattern) => pattern.test(text)));
  assert.deepEqual(found, []);
});
