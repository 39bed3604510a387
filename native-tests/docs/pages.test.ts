// Pages whose programs are files of examples/, which have tests of their own.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";

/** The anchors that a page has for its headings. */
const anchorsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) => heading.toLowerCase().replaceAll(" ", "-"));

for (const name of [
  "answers.md",
  "audit.md",
  "bench.md",
  "coming-from.md",
  "compression.md",
  "crud.md",
  "dead-letters.md",
  "deploying.md",
  "fuzz.md",
  "guards.md",
  ...readdirSync(join("docs", "guards")).map((file) => `guards/${file}`),
  "identity.md",
  "input.md",
  "inspector.md",
  "inspector-page.md",
  "limits.md",
  "offload.md",
  "openapi-clients.md",
  "README.md",
  "routing.md",
  "sessions.md",
  "sse.md",
  "start.md",
  "static.md",
  "streams.md",
  "testing.md",
  "tls.md",
  "tracing.md",
  "websocket.md",
]) {
  const page = readFileSync(join("docs", name), "utf8");

  describe(`docs/${name}`, () => {
    test("shows programs that are files, byte for byte, each under a link to it", () => {
      const blocks = [...page.matchAll(/^(.*)\n\n```ts\n([\s\S]*?)^```$/gm)];

      assert.equal(page.split(/^```ts$/m).length - 1, blocks.length);
      for (const [, above = "", program] of blocks) {
        const [, file = ""] = /^\[(examples\/\S+)\]\((?:\.\.\/)+\1\)$/.exec(above) ?? [];

        assert.ok(existsSync(file), `a link to a file, not ${above}`);
        assert.equal(program, readFileSync(file, "utf8"), file);
      }
    });

    test("links to files and sections that are there", () => {
      const links = [...page.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = ""]) => link);

      assert.deepEqual(
        links.filter((link) => {
          const [file = "", anchor] = link.split("#");
          const path = file === "" ? join("docs", name) : join("docs", dirname(name), file);
          if (!existsSync(path)) return true;
          return anchor !== undefined && !anchorsOf(readFileSync(path, "utf8")).includes(anchor);
        }),
        [],
      );
    });
  });
}
