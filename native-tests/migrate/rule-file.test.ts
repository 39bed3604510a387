import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";

import { MigrationError } from "#migrate/rule.js";
import { rulesBetween } from "#migrate/rule-chain.js";
import { folderWith } from "../support/config-folder.js";
import { rulesIn } from "./migrated.js";

function mistakeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof MigrationError) return error.message;
    throw error;
  }
  throw new Error("The rules were taken as right");
}

const mistakeIn = (toml: string): string => mistakeOf(() => rulesIn(toml));

describe("a wrong rule file", () => {
  for (const [toml, message] of [
    ["[[rules]\n", /^rules\.toml:1:\d+: this is no TOML: .*mend the line$/],
    ['x = "\\d"\n', /^rules\.toml:1:\d+: .*TOML: .*; .*\\ in single quotes, 'so'$/],
    ["", /^rules\.toml: there is no rule; write each .* \[\[rules\]\]$/],
    ["[rules]\n", /^rules\.toml: `rules` .*; write each .* \[\[rules\]\]$/],
    ["form = 1\n[[rules]]\n", /there is no key "form"; did you mean from\?/],
    ['from = "1"\n', /name both `from` and `to`, or neither/],
    ["from = 0.29\nto = 0.30\n", /`from` is 0\.29; .*in quotes, such as "0\.30"/],
    ['from = "2"\nto = "1"\n', /`from` is 2 and `to` is 1: .*a later minor version/],
    [
      "[[rules]]\n",
      /^rules\.toml: rule 1: `kind` is missing; .*text_replace, rename_import, warn, dependency, config_key$/,
    ],
    [
      '[[rules]]\nkind = "rename-import"\n',
      /rule 1 \(rename-import\): there is no kind "rename-import"; did you mean rename_import\?/,
    ],
    [
      '[[rules]]\nkind = "rename_import"\nfrom_modul = "m"\nto_module = "n"\n',
      /there is no field "from_modul"; did you mean from_module\?\n.*`from_module` is missing/,
    ],
    [
      '[[rules]]\nkind = "rename_import"\nfrom_module = "m"\n',
      /; give `to_module`, or `from_name` and another `to_name`/,
    ],
    ['[[rules]]\nkind = "rename_import"\nfrom_module = "m"\nto_name = "n"\n', /`to_name` needs `from_name`/],
    [
      '[[rules]]\nkind = "rename_import"\nfrom_module = "m"\nfrom_name = "A.b"\nto_name = "c"\n',
      /`from_name` is "A\.b"; .*one name .*without dots/,
    ],
    [
      '[[rules]]\nkind = "text_replace"\npattern = ""\nreplacement = ""\n',
      /`pattern` is empty; name what is meant/,
    ],
    [
      '[[rules]]\nkind = "text_replace"\npattern = "a"\n',
      "rules.toml: rule 1 (text_replace): `replacement` is missing",
    ],
    [
      '[[rules]]\nkind = "text_replace"\npattern = "(a"\nregex = true\nreplacement = ""\n',
      /`pattern` .*RE2: .*missing closing \)/,
    ],
    [
      '[[rules]]\nkind = "text_replace"\npattern = "a(?=b)"\nregex = true\nreplacement = ""\n',
      /RE2 has no look-around/,
    ],
    [
      '[[rules]]\nkind = "text_replace"\npattern = "(a)"\nregex = true\nreplacement = "$2"\n',
      /`replacement` names \$2, .*; \$\$ writes a \$/,
    ],
    [
      '[[rules]]\nkind = "text_replace"\npattern = "a"\nreplacement = "b"\ncount = 0\n',
      /`count` is 0; .*whole number from 1 on/,
    ],
    [
      '[[rules]]\nkind = "text_replace"\npattern = "a"\nreplacement = "b"\nfiles = "src/{a"\n',
      /`files` is "src\/\{a": a \{ is not closed/,
    ],
    ['[[rules]]\nkind = "warn"\nmessage = "x"\n', /give one of `pattern`, .*and `from_module`/],
    ['[[rules]]\nkind = "dependency"\nfrom_name = "a"\n', /; give `to_name` or `version`/],
    [
      '[[rules]]\nkind = "config_key"\nfrom_name = "a b"\nto_name = "c"\n',
      /`from_name` is "a b"; .*, such as server\.port/,
    ],
  ] as const)
    test(`is refused: ${JSON.stringify(toml)}`, () => {
      const found = mistakeIn(toml);

      if (typeof message === "string") assert.equal(found, message);
      else assert.match(found, message);
    });

  test("says all its mistakes at once, each with the number of its rule", () => {
    const found = mistakeIn('[[rules]]\nkind = "warn"\n[[rules]]\nkind = "wran"\n');

    assert.equal(
      found,
      [
        "rules.toml has 2 mistakes:",
        "  rule 1 (warn): `message` is missing",
        '  rule 2 (wran): there is no kind "wran"; did you mean warn?',
      ].join("\n"),
    );
  });
});

const link = (from: string, to: string): string =>
  `from = "${from}"\nto = "${to}"\n[[rules]]\nkind = "warn"\npattern = "x"\nmessage = "${from} ${to}"\n`;

describe("rule files", () => {
  const between = (from: string, to: string, files: Readonly<Record<string, string>>) =>
    rulesBetween(
      { from, to, rules: "rules" },
      folderWith(
        Object.fromEntries(Object.entries(files).map(([name, text]) => [join("rules", name), text])),
      ),
    ).map((rule) => rule.kind === "warn_text" && rule.message);

  test("are chained over versions, by the shortest way", () => {
    const files = {
      "a.toml": link("0.28", "0.29"),
      "b.toml": link("0.29", "0.30"),
      "c.toml": link("0.30", "1.0"),
      "d.toml": link("0.29", "1.0"),
    };

    assert.deepEqual(between("0.28.4", "v0.30.0", files), ["0.28 0.29", "0.29 0.30"]);
    assert.deepEqual(between("0.28", "1", files), ["0.28 0.29", "0.29 1.0"]);
  });

  test("name the link that is missing", () => {
    const files = { "a.toml": link("0.27", "0.28"), "b.toml": link("0.29", "0.30") };

    assert.match(
      mistakeOf(() => between("0.27", "0.30", files)),
      /from 0\.27 to 0\.30: .*from 0\.28 to 0\.29 is missing\. .*from 0\.27 to 0\.28, 0\.29 to 0\.30; give others by --rules$/,
    );
    assert.match(
      mistakeOf(() => between("0.25", "0.30", files)),
      /the link from 0\.25 to 0\.29 is missing/,
    );
    assert.match(
      mistakeOf(() => between("0.29", "0.31", files)),
      /the link from 0\.30 to 0\.31 is missing/,
    );
  });

  test("of this package lead from 0.29 to 0.30", () => {
    assert.ok(rulesBetween({ from: "0.29", to: "0.30", rules: undefined }, "/").length > 5);
  });

  test("a single one without versions leads from what was asked for to what was asked for", () => {
    const bare = link("1", "2").split("\n").slice(2).join("\n");

    assert.deepEqual(between("3", "7", { "only.toml": bare }), ["1 2"]);
    assert.match(
      mistakeOf(() => between("3", "7", { "a.toml": bare, "b.toml": link("3", "7") })),
      /a\.toml: .*need `from` and `to` each/,
    );
  });

  test("a folder without any, and a file that is not there, are refused", () => {
    assert.match(
      mistakeOf(() => between("1", "2", { "rules.json": "" })),
      /the folder rules .*\.toml/,
    );
    assert.match(
      mistakeOf(() => rulesBetween({ from: "1", to: "2", rules: "no.toml" }, folderWith())),
      /there is no file no\.toml/,
    );
  });
});
