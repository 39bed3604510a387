import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";

import { openAudit, openStores } from "framework";
import { hashedSubject } from "#runtime/run/subject.js";
import { folderWith } from "../../support/config-folder.js";
import { runCommandIn } from "../../support/run-command-in.js";

const ISSUER = "https://id.example";
const MODULE = `
import { writeFileSync } from "node:fs";
export const files = {
  name: "files",
  erase: ({ subject }) => {
    writeFileSync("erased.txt", subject);
    return { erased: 1 };
  },
};
`;

let folder = "";
const command = (...args: readonly string[]) => runCommandIn({ cwd: folder }, ["compliance", ...args]);
const erase = (...args: readonly string[]) =>
  command("erase", "--reason", "request 17", "--id", "17", ...args);

async function withStores<T>(use: (stores: ReturnType<typeof openStores>) => Promise<T>): Promise<T> {
  const stores = openStores(`sqlite:${folder}/app.db`);
  try {
    return await use(stores);
  } finally {
    await stores.close();
  }
}

describe("framework compliance erase and export", () => {
  before(async () => {
    const toml = '[persistence]\nurl = "sqlite:app.db"\n[audit]\nurl = "sqlite:audit/audit.db"\n';
    folder = folderWith({ "framework.toml": toml, "sinks.mjs": MODULE });
    mkdirSync(join(folder, "audit"));
    const at = Date.now();
    await withStores(async ({ runs, sessions }) => {
      await runs.append("one", 0, [
        {
          ...{ kind: "begun", at, axon: "orders", version: "1", node: "orders/1", bus: {}, jumps: 0 },
          ...{ input: "Ann's order", subject: hashedSubject("ann") },
        },
        { kind: "ended", at },
      ]);
      await sessions.create(
        "key",
        {
          ...{ owner: hashedSubject(`${ISSUER.length}:${ISSUER}:bob`), data: {}, version: 1, createdAt: at },
          ...{ identity: { subject: "bob", issuer: ISSUER, roles: [], claims: {} }, csrfSecret: "" },
          ...{ expiresAt: at + 60_000, idleUntil: at + 60_000 },
        },
        at,
      );
    });
  });

  test("print the profile and the database, and only count without --yes", async () => {
    const { status, stdout, stderr } = await erase("--subject", "ann");

    assert.equal(status, 2);
    assert.match(
      stdout,
      /^profile .*\nstores +sqlite:app\.db\naudit log +sqlite:audit\/audit\.db\nruns +1\n/,
    );
    assert.match(stderr, /nothing was erased: add --yes/);
    assert.equal(await withStores(async ({ runs }) => (await runs.read("one")).length), 2);
  });

  test("write the values of a person to a new file of their owner", async () => {
    const made = await command("export", "--subject", "ann", "--to", "ann.jsonl");
    const again = await command("export", "--subject", "ann", "--to", "ann.jsonl");

    assert.equal(made.status, 0);
    assert.match(made.stdout, /\n2 values are in ann\.jsonl, readable by its owner only\n/);
    const file = join(folder, "ann.jsonl");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const [line] = readFileSync(file, "utf8").split("\n");
    const { sink, place, id, value } = JSON.parse(line ?? "");
    assert.deepEqual([sink, place, id, value.input], ["runs", "run", "one", "Ann's order"]);
    assert.equal(again.status, 2);
    assert.match(again.stderr, /ann\.jsonl cannot be made: it must be a new file/);
  });

  test("exit with 1 where another issuer has the subject, and name it", async () => {
    const { status, stdout } = await command(
      ...["erase", "--subject", "bob", "--reason", "request 18", "--yes"],
    );

    assert.equal(status, 1);
    assert.match(stdout, /'bob' of the issuer 'https:\/\/id\.example' has data: add --issuer https/);
  });

  test("erase with the sinks of a module, and record it with reason and counts", async () => {
    const { status, stdout } = await erase("sinks.mjs", "--subject", "ann", "--yes", "--compact");

    assert.equal(status, 0, stdout);
    assert.match(stdout, /^runs +1 erased +done$/m);
    assert.match(stdout, /^files +1 erased +done$/m);
    assert.match(stdout, /sqlite:app\.db: compacted\n/);
    assert.equal(readFileSync(join(folder, "erased.txt"), "utf8"), "ann");
    const audit = openAudit(`sqlite:${folder}/audit/audit.db`);
    const [event] = (await audit.query({ target: "erasure/17", action: "compliance.erasure" })).flatMap(
      (row) => ("event" in row ? [row.event] : []),
    );
    await audit.close();
    assert.match(event?.actor ?? "", /^cli:.+@.+ \(unverified\)$/);
    assert.deepEqual([event?.intent, event?.metadata["state"]], ["request 17", "done"]);
  });

  test("of a subject without data is done, with 0 rows", async () => {
    const { status, stdout } = await command("erase", "--subject", "carl", "--reason", "request 19", "--yes");

    assert.equal(status, 0);
    assert.match(stdout, /^runs +0 erased +done$/m);
  });

  test("say what is missing, and that memory has nothing", async () => {
    for (const [args, message] of [
      [["erase", "--reason", "x"], /--subject ID is missing/],
      [["erase", "--subject", "ann"], /--reason TEXT is missing/],
      [["export", "--subject", "ann"], /--to FILE is missing/],
    ] as const) {
      const { status, stderr } = await command(...args);
      assert.deepEqual([status, message.test(stderr)], [2, true], stderr);
    }
    const inMemory = await runCommandIn({ cwd: folder, env: { FRAMEWORK_PERSISTENCE_URL: "memory:" } }, [
      "compliance",
      "erase",
      "--subject",
      "ann",
      "--reason",
      "x",
      "--yes",
    ]);
    assert.equal(inMemory.status, 2);
    assert.match(inMemory.stderr, /memory: keeps nothing beyond its process/);
  });
});
