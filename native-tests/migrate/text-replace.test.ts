import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { after, planned } from "./migrated.js";

const replacing = (fields: string): string => `[[rules]]\nkind = "text_replace"\n${fields}`;

describe("text_replace", () => {
  test("replaces each place of a literal, in sources by default", async () => {
    const rules = replacing('pattern = "a.b"\nreplacement = "c"');
    const { changes } = await planned(rules, { "x.ts": "a.b a.b axb\r\n", "y.txt": "a.b" });

    assert.deepEqual(
      changes.map((change) => [change.file.shown.split("/").at(-1), change.after]),
      [["x.ts", "c c axb\r\n"]],
    );
  });

  test("with word, leaves what is part of a longer word", async () => {
    const rules = replacing('pattern = "cat"\nreplacement = "dog"\nword = true');

    assert.equal(
      await after(rules, "cat cats $cat cat_ größecat ncat (cat) cat."),
      "dog cats $cat cat_ größecat ncat (dog) dog.",
    );
  });

  test("has groups of an expression, by number and by name", async () => {
    const rules = replacing(
      `pattern = 'on(?P<event>[A-Z]\\w*)\\((\\w+)\\)'\nregex = true\nreplacement = '$2.on("$<event>") $$ $&'`,
    );

    assert.equal(
      await after(rules, "onClick(button)"),
      'button.on("Click") $ onClick(button)'.replace("onClick(button)", "onClick(button)"),
    );
  });

  test("takes an expression that makes RegExp take exponential time", async () => {
    const rules = replacing(`pattern = '(a+)+b'\nregex = true\nreplacement = "x"`);

    assert.equal(await after(rules, `${"a".repeat(50_000)}c`), `${"a".repeat(50_000)}c`);
  });

  test("matches lines of a file with CRLF, and writes such lines", async () => {
    const rules = replacing('pattern = """one\ntwo"""\nreplacement = """1\n2"""');

    assert.equal(await after(rules, "one\r\ntwo\r\n"), "1\r\n2\r\n");
  });

  test("leaves a match that stands in its replacement already, so that a second run changes nothing", async () => {
    const rules = replacing('pattern = "http:"\nreplacement = "safe-http:"');
    const once = await after(rules, "http: safe-http: http:");

    assert.equal(once, "safe-http: safe-http: safe-http:");
    assert.equal(await after(rules, once), once);
    assert.equal(await after(replacing('pattern = "A"\nreplacement = "AB"'), "A AB BA"), "AB AB BAB");
  });

  test("an expression that matches what it wrote is refused, with the text of both runs", async () => {
    const rules = replacing(`pattern = 'get(\\w+)'\nregex = true\nreplacement = "get$1Async"`);

    await assert.rejects(
      after(rules, "\n  getUser\n"),
      /rules\.toml, rule 1 \(text_replace\): a second run would change .*a\.ts again, 'getUserAsync' to 'getUserAsyncAsync'/,
    );
  });

  test("a file with another number of places than count is left alone", async () => {
    const rules = replacing('pattern = "a"\nreplacement = "b"\ncount = 2');
    const { changes, stayed } = await planned(rules, { "one.ts": "a", "two.ts": "a a", "none.ts": "" });

    assert.deepEqual(
      changes.map((change) => change.after),
      ["b b"],
    );
    assert.deepEqual(
      stayed.map(({ reason }) => reason),
      ["1 places match, and rules.toml, rule 1 (text_replace) expects 2"],
    );
  });

  test("files takes globs from the working directory or from PATH", async () => {
    const rules = replacing('pattern = "a"\nreplacement = "b"\nfiles = ["docs/**/*.{md,mdx}", "*.txt"]');
    const names = ["docs/x.md", "docs/deep/y.mdx", "docs/z.ts", "src/w.md", "src/deep/v.txt"];
    const { changes } = await planned(rules, Object.fromEntries(names.map((name) => [name, "a"])));

    assert.deepEqual(
      changes.map(({ file }) => file.matched[1]),
      ["docs/deep/y.mdx", "docs/x.md", "src/deep/v.txt"],
    );
  });

  test("a binary file is passed over, and a source that is not UTF-8 is named", async () => {
    const rules = replacing('pattern = "a"\nreplacement = "b"\nfiles = "**"');
    const { changes, stayed } = await planned(rules, {
      "picture.png": new Uint8Array([0, 0x61, 0xff]),
      "latin1.ts": new Uint8Array([0x61, 0xe4]),
    });

    assert.deepEqual(changes, []);
    assert.deepEqual(
      stayed.map(({ file, reason }) => `${file.matched[1]} ${reason}`),
      ["latin1.ts it is not UTF-8"],
    );
  });
});
