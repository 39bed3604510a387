import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { moduleOf } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";

const APP = moduleOf("native-tests/support/processed-app.ts");
const folder = mkdtempSync(join(tmpdir(), "compliance-"));
after(() => rmSync(folder, { recursive: true }));
const framework = (...args: readonly string[]) => runCommand(["compliance", ...args]);

interface Row {
  readonly direction: string;
  readonly place: string;
  readonly fields: readonly string[];
  readonly level: string | null;
  readonly categories: readonly string[];
  readonly certainty: string;
  readonly kept_for: string | null;
  readonly encrypted: boolean | null;
  readonly location: { readonly file: string; readonly line: number };
}
interface Entry {
  readonly mount: string;
  readonly purpose: string | null;
  readonly callers: string | null;
  readonly has_subject: boolean;
  readonly rows: readonly Row[];
}

let entries: readonly Entry[] = [];
before(async () => {
  const { status, stdout } = await framework("report", APP, "--format", "json");
  assert.equal(status, 0);
  ({ entries } = JSON.parse(stdout));
});

const entry = (mount: string): Entry => entries.find((each) => each.mount === mount) as Entry;
const rows = (mount: string, direction: string) =>
  entry(mount)
    .rows.filter((row) => row.direction === direction)
    .map(({ place, fields, level, certainty }) => [place, fields.join(", "), level, certainty]);

describe("framework compliance report", () => {
  test("has each declared field that comes in, with level and category, and where it is declared", () => {
    assert.deepEqual(rows("POST /patients", "in"), [
      ["body", "body /email", "confidential", "declared"],
      ["body", "body /illness", "restricted", "declared"],
    ]);
    const [email] = entry("POST /patients").rows;
    assert.deepEqual(email?.categories, ["email"]);
    assert.match(email?.location.file ?? "", /processed-app\.[jt]s$/);
    assert.deepEqual(rows("GET /patients/:email", "in"), [
      ["path", "path /email", "confidential", "declared"],
    ]);
  });

  test("infers for values without a schema the highest level of what their step could read", () => {
    const all = "body /email, body /illness";

    assert.deepEqual(rows("POST /patients", "out"), [["response 200", all, "restricted", "inferred"]]);
    assert.deepEqual(rows("POST /patients", "sent"), [
      ["service mailer", all, "restricted", "inferred"],
      ["event told to 0 sinks", all, "restricted", "inferred"],
    ]);
    assert.deepEqual(rows("POST /patients", "audited"), [
      ["event patient.register in MemoryAuditSink", all, "restricted", "inferred"],
    ]);
  });

  test("has where data is kept, for how long, and that it is not encrypted", () => {
    const kept = entry("POST /patients").rows.filter(({ direction }) => direction === "kept");

    assert.deepEqual(
      kept.map(({ place, level, kept_for, encrypted }) => [place, level, kept_for, encrypted]),
      [
        ["runs in memory:", "restricted", "7 days after the run", false],
        ["dead letters in MemoryDeadLetters", "restricted", "until removed, or the process ends", false],
      ],
    );
    const responses = entry("POST /informed").rows.find(({ direction }) => direction === "kept");
    assert.equal(responses?.place, "responses under idempotency keys in MemoryIdempotency");
    assert.equal(responses?.kept_for, "2 hours");
    const session = entry("POST /login").rows.find(({ direction }) => direction === "kept");
    assert.match(session?.kept_for ?? "", /for 12 hours, idle 30 minutes$/);
    assert.deepEqual(session?.fields, ["body /email", "identity"]);
    assert.deepEqual(rows("POST /login", "out"), [
      ["response 200", "body /email", "confidential", "declared"],
    ]);
  });

  test("lowers a value by its output schema and by Public, and has what a branch adds", () => {
    assert.deepEqual(rows("POST /informed", "out"), [
      ["response 200", "twice /email", "confidential", "declared"],
      ["response 200", "twice /illness", "restricted", "declared"],
    ]);
    assert.deepEqual(rows("POST /informed", "sent"), []);
  });

  test("infers a property that has the name of a marked field and no mark", () => {
    assert.deepEqual(rows("GET /patients/:email", "out"), [
      ["response 200", "path /email", "confidential", "inferred"],
    ]);
  });

  test("states as unknown what resources hold and what steps write to the log", () => {
    assert.deepEqual(rows("GET /users", "out"), [["response 200", "content of Users", null, "unknown"]]);
    assert.deepEqual(rows("POST /informed", "logged"), [
      ["log lines of write", "what it writes", null, "unknown"],
    ]);
    assert.deepEqual(rows("POST /mine", "logged"), [["access log", "ClientIp", "confidential", "inferred"]]);
  });

  test("has the callers, the purpose and the subject of each route, and exported Axons", () => {
    const { purpose, callers, has_subject } = entry("POST /patients");
    assert.deepEqual([purpose, callers, has_subject], ["Registers a patient", null, false]);
    assert.deepEqual([entry("POST /mine").callers, entry("POST /mine").has_subject], ["any identity", true]);
    assert.equal(entry("POST /login").callers, null);
    assert.deepEqual(rows("axon nightly", "in")[0], ["input", "input /email", "confidential", "declared"]);
  });

  test("is a text and Markdown with the same rows", async () => {
    const count = entries.flatMap((each) => each.rows).length;
    const text = (await framework("report", APP)).stdout;
    const markdown = (await framework("report", APP, "--format", "markdown")).stdout;

    assert.match(
      text,
      /^ {2}is kept +runs in memory: +body \/email, body \/illness +restricted, email, health +inferred +7 days/m,
    );
    assert.match(text, new RegExp(`7 routes and Axons, ${count} rows: `));
    assert.match(
      markdown,
      /^\| is kept \| `runs in memory:` \| `body \/email, body \/illness` \| `restricted, email, health` \|/m,
    );
    assert.equal(markdown.match(/^\| (?:comes|goes|is) /gm)?.length, count);
    assert.match(markdown, /^- texts that steps compose/m);
  });

  test("refuses a format that it does not know, with what was meant", async () => {
    const { status, stderr } = await framework("report", APP, "--format", "jsn");

    assert.equal(status, 2);
    assert.match(stderr, /there is no format 'jsn'; did you mean json\?/);
  });
});

describe("framework compliance check", () => {
  const check = async (policy: string, ...options: readonly string[]) => {
    const file = join(folder, "policy.toml");
    writeFileSync(file, policy);
    return await framework("check", APP, "--policy", file, ...options);
  };
  const denied = async (policy: string) => {
    const { status, stdout } = await check(policy, "--json");
    const { denied: found } = JSON.parse(stdout) as {
      readonly denied: readonly (Row & { readonly rule: string; readonly mount: string })[];
    };
    return [status, found.map(({ mount, place }) => `${mount} ${place}`)] as const;
  };

  test("denies a restricted field in a response, declared or inferred", async () => {
    assert.deepEqual(await denied('deny = ["restricted_in_response"]'), [
      1,
      ["POST /patients response 200", "POST /informed response 200", "axon nightly output"],
    ]);
  });

  test("denies a restricted field in a store that does not encrypt", async () => {
    assert.deepEqual(await denied('deny = ["restricted_unencrypted"]'), [
      1,
      [
        "POST /patients runs in memory:",
        "POST /patients dead letters in MemoryDeadLetters",
        "POST /patients event patient.register in MemoryAuditSink",
        "POST /informed responses under idempotency keys in MemoryIdempotency",
      ],
    ]);
  });

  test("denies kept personal fields without an identity and without a subject", async () => {
    assert.deepEqual(await denied('deny = ["kept_without_subject"]'), [
      1,
      [
        "POST /patients runs in memory:",
        "POST /patients dead letters in MemoryDeadLetters",
        "POST /informed responses under idempotency keys in MemoryIdempotency",
        "POST /informed responses under idempotency keys in MemoryIdempotency",
      ],
    ]);
  });

  const allow = (axon: string, expires: string, more = ""): string =>
    `[[allow]]\nrule = "restricted_in_response"\naxon = "${axon}"\nreason = "the ward needs it"\nexpires = ${expires}\n${more}`;

  test("prints place and remedy, and takes allowances that end", async () => {
    const policy = `deny = ["restricted_in_response"]\n${allow("register", "2999-12-31", 'field = "body /illness"\n')}${allow("inform", "2001-01-01")}${allow("list", "2999-12-31")}`;
    const { status, stdout } = await check(policy);

    assert.equal(status, 1);
    assert.match(
      stdout,
      /processed-app\.[jt]s:\d+: restricted_in_response: POST \/informed \(inform\) response 200: twice \/illness \[declared\] \(the \[\[allow\]\] at .*policy\.toml:8 expired on 2001-01-01\)\n {2}leave it out of the output schema/,
    );
    assert.match(
      stdout,
      /POST \/patients .* \(allowed up to 2999-12-31 by .*policy\.toml:2: the ward needs it\)/,
    );
    assert.match(
      stdout,
      /policy\.toml:13: nothing needs this \[\[allow\]\] of restricted_in_response for 'list'/,
    );
    assert.match(stdout, /^2 denied, 1 allowed$/m);
  });

  test("exits with 0 where nothing is denied", async () => {
    const names = ["register", "inform", "nightly"];
    const policy = `deny = ["restricted_in_response"]\n${names.map((name) => allow(name, "2999-12-31")).join("")}`;

    assert.equal((await check(policy)).status, 0);
  });

  test("refuses misspelt keys and rules, at their lines and with what was meant", async () => {
    const { status, stderr } = await check(
      `deny = ["restricted_in_respons"]\n${allow("register", "2999-12-31", 'feild = "body /email"\n')}`,
    );

    assert.equal(status, 2);
    assert.match(
      stderr,
      /policy\.toml:1: there is no rule "restricted_in_respons"; did you mean restricted_in_response\?/,
    );
    assert.match(stderr, /policy\.toml:7: there is no key "feild"; did you mean field\?/);
    assert.match((await framework("check", APP)).stderr, /--policy FILE is missing/);
  });
});
