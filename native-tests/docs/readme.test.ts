import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { Framework } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

import { pageAt } from "./page.js";

const readme = pageAt("README.md").text;

describe("README.md", () => {
  test("names commands that package.json has", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm (?:run )?(test|start|verify|bench|build)\b/g)].map(
      ([, name]) => name as string,
    );

    assert.deepEqual(
      named.filter((name) => scripts[name] === undefined),
      [],
    );
  });

  test("says what is planned, as the Inspector's status does", async () => {
    const ingress = Framework.http().inspector({ enabled: true });
    await using app = new TestApp(ingress);
    await app.start();
    const { app: inspector, token } = inspectorOf(ingress);
    const { json } = await inspector.get("/status", { headers: { authorization: `Bearer ${token}` } });
    const { crates } = (json as { data: { crates: { name: string; status: string }[] } }).data;
    const [, section = ""] = /## Not in this release\n([\s\S]*?)\n## /.exec(readme) ?? [];

    const planned = crates.filter(({ status }) => status === "planned");
    const released = crates.filter(({ status }) => status === "released");
    const isNamed = ({ name }: { name: string }) =>
      new RegExp(`\\b${name.replace("framework-", "")}\\b`, "i").test(section);
    assert.deepEqual([planned.filter((crate) => !isNamed(crate)), released.filter(isNamed)], [[], []]);
    for (const store of ["RunStore", "DeadLetterStore", "RateLimitStore", "IdempotencyStore", "LockProvider"])
      assert.ok(section.includes(store), store);
  });

  test("is short", () => assert.ok(readme.split("\n").length < 120));
});
