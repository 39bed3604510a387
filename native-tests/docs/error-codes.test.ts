import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import {
  faultCodes,
  guardCodes,
  identityCodes,
  inspectorCodes,
  nodeCodes,
  refusalCodes,
  reportCodes,
  sessionCodes,
  thrownCodes,
  upstreamCodes,
} from "framework/core";

import { pageAt } from "./page.js";

const documented = [...pageAt("docs/errors.md").text.matchAll(/^\| `([A-Z_]+)` \|(?: (\d{3}) \|)?/gm)];
const answered: Readonly<Record<string, { readonly status: number }>> = {
  ...faultCodes,
  ...refusalCodes,
  ...nodeCodes,
  ...guardCodes,
  ...identityCodes,
  ...sessionCodes,
  ...upstreamCodes,
  ...inspectorCodes,
};
const tables = { ...thrownCodes, ...answered, ...reportCodes };

describe("docs/errors.md", () => {
  test("has a row for each code, and no other", () => {
    assert.deepEqual(documented.map(([, code]) => code).sort(), Object.keys(tables).sort());
  });

  test("says the status that is answered", () => {
    const told = documented
      .filter(([, , status]) => status !== undefined)
      .map(([, code, status]) => [code, Number(status)]);

    assert.deepEqual(
      Object.fromEntries(told),
      Object.fromEntries(Object.entries(answered).map(([code, { status }]) => [code, status])),
    );
  });
});

describe("the table of codes", () => {
  test("has no code that nothing in src uses", () => {
    const files = readdirSync("src", { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".ts") && !name.endsWith("error-codes.ts"));
    const source = files.map((name) => readFileSync(join("src", name), "utf8")).join("\n");

    assert.deepEqual(
      Object.keys(tables).filter((code) => !source.includes(`"${code}"`)),
      [],
    );
  });
});
