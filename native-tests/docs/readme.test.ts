import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { Framework } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

import { programArguments } from "../support/run-program.js";

const readme = readFileSync("README.md", "utf8");

describe("README.md", () => {
  test("has a program that runs as it stands and answers", async () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    const file = "examples/postage/main.ts";

    assert.equal(program, readFileSync(file, "utf8"), "the README shows examples/postage/main.ts");
    const child = spawn(process.execPath, programArguments(file));
    try {
      let printed = "";
      const address = await new Promise<string>((resolve, reject) => {
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          printed += text;
          const [, told] = /listening on (\S+)/.exec(printed) ?? [];
          if (told !== undefined) resolve(told);
        });
        child.on("exit", (code) => reject(new Error(`It ended with ${code}`)));
      });
      const post = async (body: unknown, type = "application/json") => {
        const answer = await fetch(`${address}/postage`, {
          method: "POST",
          headers: { "content-type": type },
          body: JSON.stringify(body),
        });
        return [answer.status, (await answer.json()) as Record<string, unknown>] as const;
      };

      assert.deepEqual(await post({ grams: 100, country: "DE" }), [200, { price: "5.00 EUR" }]);
      assert.deepEqual(await post({ grams: 100, country: "FR" }), [200, { price: "16.00 EUR" }]);
      assert.deepEqual((await post({ grams: 100, country: "XX" }))[1]["code"], "EMBARGO");
      assert.equal((await post({ grams: 0, country: "DE" }))[0], 422);
      assert.equal((await post({}, "text/plain"))[0], 415);
      assert.match(printed, /2 answer|1 route/);
    } finally {
      child.kill();
    }
  });

  test("links to files that are there", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link]) => link as string);

    assert.ok(links.length > 5);
    assert.deepEqual(
      links.filter((link) => !existsSync(link)),
      [],
    );
  });

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
