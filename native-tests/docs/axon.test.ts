import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { Axon } from "framework";
import type { TimelineEvent } from "framework/core";
import { exampleRuns } from "./example-runs.js";

const PAGES = ["axon.md", "failures.md", "kept-runs.md", "watching.md"];
const textOf = (name: string): string => readFileSync(join("docs", name), "utf8");
const page = PAGES.map(textOf).join("\n");
const EXAMPLES = "examples/constructs";

interface Block {
  readonly language: string;
  readonly text: string;
  /** The last line before it that is not empty. */
  readonly above: string;
}

const blocks: readonly Block[] = [...page.matchAll(/^(.*)\n\n```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, above = "", language = "", text = ""]) => ({ above, language, text }),
);
const explainAbove = /^`\w+\.explain\(\)` prints:$/;
const timelineAbove = /^The Timeline of `(.+)`, (.+):$/;

/** Without the places in the source: a line added to an example would change each block below it. */
const withoutPlaces = (explained: string): string => explained.replace(/ +\([^()]*:\d+\)$/gm, "");

/** An event without its times. */
function told({ kind, node, ...event }: TimelineEvent): string {
  const more = Object.entries(event).filter(([name]) => !name.endsWith("_us"));
  return `${kind.padEnd(13)} ${[node, ...more.map(([, value]) => value)].join("  ")}`;
}

const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(" ", "-");
const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
const rows = page
  .slice(page.indexOf("## The calls"), page.indexOf("## Steps\n"))
  .split("\n")
  .filter((line) => line.startsWith("| `"));

describe("the pages of the Axon", () => {
  test("has no fence that these tests do not read", () => {
    assert.equal(page.split(/^```/m).length - 1, blocks.length * 2);
    assert.deepEqual(
      blocks
        .filter(
          ({ language, above }) =>
            language !== "ts" && !explainAbove.test(above) && !timelineAbove.test(above),
        )
        .map(({ above }) => above),
      [],
    );
  });

  test("shows programs that are files, byte for byte, each under a link to it", () => {
    for (const { above, text } of blocks.filter(({ language }) => language === "ts")) {
      const [, file = ""] = /^\[(examples\/\S+)\]\(\.\.\/\1\)$/.exec(above) ?? [];

      assert.ok(existsSync(file), `a link to a file, not ${above}`);
      assert.equal(text, readFileSync(file, "utf8"), file);
    }
  });

  test("shows each of the examples", () => {
    const shown = blocks.map(({ above }) => /\((?:\.\.\/)(.+)\)/.exec(above)?.[1]);

    assert.deepEqual(
      readdirSync(EXAMPLES)
        .filter((name) => !name.endsWith(".test.ts"))
        .filter((name) => !shown.includes(join(EXAMPLES, name))),
      [],
    );
  });

  test("shows what explain() prints", () => {
    const explained = blocks.filter(
      ({ language, above }) => language === "text" && !timelineAbove.test(above),
    );

    assert.ok(explained.length > 15);
    for (const { text } of explained) {
      const [, name = ""] = /^(\S+) \d+\.\d+\.\d+\n/.exec(text) ?? [];
      const run = exampleRuns.find(({ axon }) => axon.name === name);

      assert.ok(run, `an Axon of the examples, not ${text.split("\n")[0]}`);
      assert.equal(text, withoutPlaces(run.axon.explain()));
    }
  });

  test("shows Timelines of runs as they are", async () => {
    const timelines = blocks.filter(({ above }) => timelineAbove.test(above));

    assert.ok(timelines.length > 8);
    for (const { above, text } of timelines) {
      const [, name, about] = timelineAbove.exec(above) ?? [];
      const run = exampleRuns.find((each) => each.axon.name === name && each.about === about);

      assert.ok(run, `a run of the examples, not ${above}`);
      const { timeline } = await run.run();
      assert.equal(text, `${timeline.events.map(told).join("\n")}\n`);
    }
  });

  test("links to files and sections that are there", () => {
    for (const name of PAGES) {
      const links = [...textOf(name).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = ""]) => link);

      assert.deepEqual(
        links.filter((link) => {
          const [file = "", anchor] = link.split("#");
          if (!existsSync(join("docs", file))) return true;
          return anchor !== undefined && !anchorsOf(textOf(file === "" ? name : file)).includes(anchor);
        }),
        [],
        name,
      );
    }
  });

  test("has a section for each call of the table, and a row for each section with a program", () => {
    const linked = rows.flatMap((row) =>
      [...row.matchAll(/\((?:[a-z-]+\.md)?#([^)]+)\)/g)].map(([, anchor]) => anchor),
    );
    const sections = page
      .split(/^## /m)
      .slice(1)
      .filter((section) => section.includes("```ts"))
      .map((section) => anchorOf(section.split("\n")[0] ?? ""));

    assert.ok(rows.every((row) => /\((?:[a-z-]+\.md)?#/.test(row)));
    assert.deepEqual(
      sections.filter((section) => !linked.includes(section)),
      ["what-does-not-compile"],
    );
  });

  test("has a row for each call of an Axon", () => {
    const prototypes = [Axon.prototype, Object.getPrototypeOf(Axon.prototype)];
    const calls = [...prototypes.flatMap(Object.getOwnPropertyNames), "start", "new", "simple"];
    const table = rows.join("\n");

    assert.deepEqual(
      calls.filter((call) => call !== "constructor" && !new RegExp(`[\`.]${call}\\b`).test(table)),
      [],
    );
  });
});
