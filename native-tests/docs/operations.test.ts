// docs/configuration.md and docs/logging.md show programs that are files, and what they print.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { fromRoot, moduleOf } from "../support/root.js";
import { bareEnvironment, programArguments, textArguments, textFolder } from "../support/run-program.js";

const PAGES = ["docs/configuration.md", "docs/logging.md"];
const blocksOf = (page: string) =>
  [...readFileSync(page, "utf8").matchAll(/^(.*)\n\n```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, above = "", language = "", text = ""]) => ({ above, language, text }),
  );

/** Runs examples/configured in its folder until `done` of what it printed. */
async function kiosk(env: Record<string, string>, ask: (address: string) => Promise<void>): Promise<string> {
  const child = spawn(process.execPath, programArguments("examples/configured/main.ts"), {
    cwd: fromRoot("examples/configured"),
    env: { ...bareEnvironment(), FRAMEWORK_SERVER_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  try {
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        const [, told] = /address"?[:=]"?([\d.]+:\d+)/.exec(printed) ?? [];
        if (told !== undefined) resolve(told);
      });
      child.once("exit", (code) => reject(new Error(`It ended with ${code}`)));
    });
    await ask(address);
  } finally {
    child.kill();
  }
  await new Promise((resolve) => child.once("close", resolve));
  return printed;
}

/** Without what differs from run to run. */
const settled = (printed: string): string =>
  printed
    .replace(/\d\d:\d\d:\d\d\.\d{3}/g, "09:30:12.114")
    .replace(/"time":\d+/g, '"time":1767225600000')
    .replace(/"duration_ms":[\d.]+/g, '"duration_ms":1.25')
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080")
    .replace(/(trace_id"?[:=]"?)[0-9a-f]{32}/g, "$14bf92f3577b34da6a3ce929d0e0e4736")
    .replace(/(span_id"?[:=]"?)[0-9a-f]{16}/g, "$1a2fb4a1d1a96d312");

for (const page of PAGES) {
  describe(page, () => {
    test("shows programs and files that are there, each under a link to it", () => {
      for (const { above, language, text } of blocksOf(page)) {
        if (language === "text") continue;
        const [, file = ""] = /^\[(examples\/\S+)\]\(\.\.\/\1\)$/.exec(above) ?? [];

        assert.ok(existsSync(file), `a link to a file, not ${above}`);
        assert.equal(text, readFileSync(file, "utf8"), file);
      }
    });

    test("links to files and sections that are there", () => {
      const links = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(
        ([, link]) => link,
      );
      const broken = links.filter((link) => {
        const [file = "", anchor] = (link as string).split("#");
        const target = file === "" ? page : join("docs", file);
        if (!existsSync(target)) return true;
        const anchors = [...readFileSync(target, "utf8").matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) =>
          heading
            .toLowerCase()
            .replace(/[^\w -]/g, "")
            .replaceAll(" ", "-"),
        );
        return anchor !== undefined && !anchors.includes(anchor);
      });

      assert.deepEqual(broken, []);
    });
  });
}

/** What a letter of examples/guards/access-log.ts leaves on stdout. */
function letterLine(): string {
  const program = `
    const { TestApp } = await import("framework/http");
    const { letters } = await import(${JSON.stringify(moduleOf("examples/guards/access-log.ts"))});
    const headers = { "x-request-id": "letter-17", "user-agent": "curl/8.5.0", "accept-language": "is", authorization: "Bearer k-81d2" };
    await new TestApp(letters()).get("/letters/magnus?page=2", { headers });`;
  return execFileSync(process.execPath, textArguments(program), { cwd: textFolder, encoding: "utf8" });
}

describe("docs/logging.md", () => {
  test("shows the line of the access log as a letter leaves it", () => {
    const shown = blocksOf("docs/logging.md").filter(
      ({ above }) => above === "What a letter leaves in the log:",
    );

    assert.deepEqual(
      shown.map(({ text }) => text),
      [settled(letterLine())],
    );
  });

  test("shows the lines of the kiosk as it prints them, in each format", async () => {
    const shown = blocksOf("docs/logging.md").filter(({ above }) => /^`(json|pretty|compact)`:$/.test(above));

    assert.equal(shown.length, 3);
    for (const { above, text } of shown) {
      const format = above.slice(1, -2);
      const printed = await kiosk({ FRAMEWORK_LOGGING_FORMAT: format }, async (address) => {
        await fetch(`http://${address}/sales`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-request-id": "sale-17" },
          body: JSON.stringify({ sku: "tea", cents: 500 }),
        });
      });
      assert.equal(settled(printed), text, format);
    }
  });
});
