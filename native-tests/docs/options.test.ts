// What an ingress can be told is on some page for users.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Framework } from "framework";

const pages = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") && name !== "architecture.md")
  .map((name) => readFileSync(join("docs", name), "utf8"))
  .join("\n");

test("each option of Framework.http() is named in docs/", () => {
  let known: readonly string[] = [];
  try {
    Framework.http({ none: 1 } as never);
  } catch (error) {
    known = /there are (.*)$/.exec((error as Error).message)?.[1]?.split(", ") ?? [];
  }

  assert.ok(known.includes("trailingSlash"));
  assert.deepEqual(
    known.filter((option) => !new RegExp(`\\b${option}\\b`).test(pages)),
    [],
  );
});
