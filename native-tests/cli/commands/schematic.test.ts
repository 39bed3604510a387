import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { moduleOf } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const APP = moduleOf("native-tests/support/schematics-app.ts");
const folder = mkdtempSync(join(tmpdir(), "schematic-"));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string): string => join(folder, name);
const framework = (...args: readonly string[]) => runCommand(["schematic", ...args]);

before(async () => {
  await framework("export", APP, "--export", "before", "--out", file("base.json"));
  await framework("export", APP, "--out", file("head.json"));
  writeFileSync(
    file("policy.toml"),
    `deny = ["guard_removal", "schema_narrowing"]
[[allow]]
rule = "schema_narrowing"
axon = "order"
reason = "no client sends none"
expires = 2999-12-31
`,
  );
});

describe("framework schematic export", () => {
  test("prints each Axon where it is mounted, and those that no route has, the same bytes each time", async () => {
    const { status, stdout } = await framework("export", APP);
    const { circuits } = JSON.parse(stdout);

    assert.equal(status, 0);
    assert.deepEqual(
      circuits.map(({ mount, kind }: { mount: string; kind: string }) => [mount, kind]),
      [
        ["GET /chat", "connection"],
        ["GET /chat close", "close"],
        ["GET /chat message", "message"],
        ["POST /orders", "route"],
        ["axon nightly", "axon"],
      ],
    );
    assert.equal((await framework("export", APP)).stdout, stdout);
    assert.equal(readFileSync(file("head.json"), "utf8"), stdout);
    assert.ok(!stdout.includes("source_location"));
  });

  test("has the places of steps where asked to", async () => {
    const { stdout } = await framework("export", APP, "--locations");

    assert.match(stdout, /"source_location": \{\s+"file": "[^"]*schematics-app\.[jt]s",\s+"line": \d+/);
  });
});

describe("framework schematic diff", () => {
  test("is 0 where nothing changed, also against the module with its places", async () => {
    const { status, stdout } = await framework("diff", file("head.json"), APP);

    assert.deepEqual([status, stdout], [0, "No change.\n"]);
  });

  test("is 1 where something changed, as text, JSON and Markdown", async () => {
    const text = await framework("diff", file("base.json"), file("head.json"));
    const json = await framework("diff", file("base.json"), file("head.json"), "--json");
    const markdown = await framework("diff", file("base.json"), file("head.json"), "--markdown");

    assert.deepEqual([text.status, json.status, markdown.status], [1, 1, 1]);
    assert.equal(
      text.stdout.split("\n\n")[0],
      [
        "order (POST /orders)",
        "  - order:guard/Open  guard 'Open' is gone",
        "  ~ order:in  input narrowed: /sku: minLength 1, was no minLength",
      ].join("\n"),
    );
    assert.match(text.stdout, /\n5 changes\n$/);
    assert.deepEqual(JSON.parse(json.stdout).changes[0], {
      area: "guard",
      direction: "removed",
      rule: "guard_removal",
      axon: "order",
      mounts: ["POST /orders"],
      node: "order:guard/Open",
      text: "guard 'Open' is gone",
      location: { file: file("head.json"), line: lineOf('"id": "order"') },
    });
    assert.ok(markdown.stdout.startsWith("### Schematics: 5 changes\n\n**`order`** (`POST /orders`)\n\n"));
    assert.ok(markdown.stdout.includes("\n| `-` | `order:guard/Open` | `guard 'Open' is gone` |\n"));
  });

  test("reads the export that is committed at a ref", async () => {
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
        cwd: folder,
        stdio: "pipe",
      });
    const asked = (...args: readonly string[]) => {
      const program = programArguments("src/cli/main.ts", "schematic", "diff", ...args);
      const { status, stdout, stderr } = spawnSync(process.execPath, program, {
        cwd: folder,
        encoding: "utf8",
        env: bareEnvironment(),
      });
      return { status, stdout, stderr };
    };
    git("init", "-q", "-b", "main");
    git("add", "base.json");
    git("commit", "-q", "-m", "x");

    assert.equal(asked("main", "base.json", "--file", "base.json").stdout, "No change.\n");
    assert.equal(asked("HEAD", "head.json", "--file", "base.json").status, 1);
    const missing = asked("main", "head.json");
    assert.deepEqual(
      [missing.status, missing.stderr.includes("main has no schematics.json: commit one")],
      [2, true],
    );
    const unknown = asked("nowhere", "head.json");
    assert.deepEqual([unknown.status, unknown.stderr.includes("'nowhere' is no file")], [2, true]);
    // No option of git.
    assert.equal(asked("--", "--output=planted", "head.json").status, 2);
  });

  test("is 2 for a file that is no export, and says what is wrong of it", async () => {
    const cases = [
      ["{", "is no JSON"],
      ["{}", ": make one with framework schematic export MODULE --out"],
      ['{"export_version":"9","circuits":[]}', 'has export_version "9", and this release reads "1.0"'],
      [
        '{"export_version":"1.0","circuits":[{"mount":"x"}]}',
        "circuits/0/schematic is not as an export has it",
      ],
    ] as const;
    for (const [text, message] of cases) {
      writeFileSync(file("odd.json"), text);
      const { status, stderr } = await framework("diff", file("odd.json"), file("head.json"));

      assert.deepEqual([status, stderr.includes(message)], [2, true], stderr);
    }
    assert.equal((await framework("diff", file("base.json"))).status, 2);
    assert.equal((await framework("diff", file("base.json"), APP, "--json", "--markdown")).status, 2);
  });
});

describe("framework schematic check", () => {
  test("is 1 with file and line of what the policy denies, and tells what is allowed", async () => {
    const policy = file("policy.toml");
    const { status, stdout } = await framework(
      "check",
      "--policy",
      policy,
      file("base.json"),
      file("head.json"),
    );

    assert.equal(status, 1);
    assert.deepEqual(stdout.split("\n"), [
      `${file("head.json")}:${lineOf('"id": "order"')}: guard_removal: order:guard/Open: guard 'Open' is gone`,
      `${file("head.json")}:${lineOf('"id": "order:in"')}: schema_narrowing: order:in: input narrowed: /sku: minLength 1, was no minLength (allowed up to 2999-12-31 by ${policy}:2: no client sends none)`,
      "1 denied, 1 allowed",
      "",
    ]);
  });

  test("has the places of the sources where HEAD is a module", async () => {
    const { stdout } = await framework("check", "--policy", file("policy.toml"), file("base.json"), APP);

    assert.match(stdout, /^\S*native-tests\/support\/schematics-app\.[jt]s:\d+: guard_removal: /);
  });

  test("is 0 where nothing is denied, and names a table that nothing needs", async () => {
    const policy = file("policy.toml");
    const { status, stdout } = await framework(
      "check",
      "--policy",
      policy,
      file("head.json"),
      file("head.json"),
    );

    assert.deepEqual(
      [status, stdout],
      [0, `${policy}:2: nothing needs this [[allow]] of schema_narrowing for 'order'\n0 denied, 0 allowed\n`],
    );
  });

  test("is 2 without a policy, or with one that cannot be used", async () => {
    writeFileSync(file("bad.toml"), 'deny = ["gard_removal"]');
    const args = [file("base.json"), file("head.json")];
    const none = await framework("check", ...args);
    const missing = await framework("check", "--policy", file("none.toml"), ...args);
    const bad = await framework("check", "--policy", file("bad.toml"), ...args);

    assert.deepEqual([none.status, missing.status, bad.status], [2, 2, 2]);
    assert.match(none.stderr, /--policy FILE is missing/);
    assert.match(bad.stderr, /bad\.toml:1: there is no rule "gard_removal"; did you mean guard_removal\?/);
  });
});

/** Of the first line of head.json that has it. */
const lineOf = (text: string): number =>
  readFileSync(file("head.json"), "utf8")
    .split("\n")
    .findIndex((line) => line.includes(text)) + 1;
