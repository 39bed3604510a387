// Processes that erase a subject are killed between its rows. What they left is erased by the command,
// which then compacts: neither SQL nor the files have the subject.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";

import { openStores, type Stores } from "framework/store";
import pg from "pg";

import { hashedSubject } from "#runtime/run/subject.js";
import { skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const KILLS = Number(process.env["ERASURE_KILLS"] ?? 15);
const EACH = 12 * KILLS;
const LIFE_MS = 3_600_000;
const MARK = "Anna Kaplan-Oyelaran";
const HASH = hashedSubject("ann");

/** As many rows in each table, of one subject, and some of another. */
async function fill(stores: Stores, subject: string, mark: string, each: number): Promise<void> {
  const { runs, letters, keys } = {
    runs: stores.runs,
    letters: stores.deadLetters,
    keys: stores.idempotency,
  };
  const hash = hashedSubject(subject);
  const at = Date.now();
  await Promise.all(
    Array.from({ length: each }, async (_, n) => {
      const id = `${subject} ${n}`;
      await runs.append(id, 0, [
        {
          ...{ kind: "begun", at, axon: "orders", version: "1", node: "orders/1", bus: {}, jumps: 0 },
          ...{ input: mark, subject: hash },
        },
        { kind: "ended", at, output: mark },
      ]);
      await letters.send({
        ...{ id, kind: "step", axon: "orders", version: "1", node: "orders/pay", input: mark, error: mark },
        ...{ timeline: undefined, failed_at: at, attempts: 1, undone: [], subject: hash },
      } as Parameters<typeof letters.send>[0]);
      await stores.sessions.create(
        id,
        {
          ...{ owner: hash, identity: { subject, roles: [], claims: { mark } }, data: { mark }, version: 1 },
          ...{ csrfSecret: "", createdAt: at, expiresAt: at + LIFE_MS, idleUntil: at + LIFE_MS },
        },
        at,
      );
      const claimed = await keys.claim(id, "print", LIFE_MS, hash);
      if (claimed.kind === "first")
        await keys.keep(claimed.lease, { status: 200, headers: "", body: Buffer.from(mark) }, LIFE_MS);
    }),
  );
}

/** Some milliseconds after it begins with its first sink. */
async function killedEraser(args: readonly string[], random: () => number): Promise<void> {
  const child = spawn(process.execPath, programArguments("native-tests/support/eraser.ts", ...args), {
    stdio: ["ignore", "pipe", "inherit"],
    env: bareEnvironment(),
  });
  child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), random() * 15));
  await new Promise((done) => child.once("close", done));
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const withText = (folder: string, text: string): readonly string[] =>
  filesIn(folder).filter((file) => readFileSync(file).includes(text));

interface Place {
  readonly url: string;
  readonly folder: string;
  /** Of the files that are compacted. */
  readonly files: string;
  /** Writes to the files what the database has in memory. */
  readonly flush: () => Promise<void>;
}

async function erasing({ url, folder, files, flush }: Place): Promise<void> {
  const stores = openStores(url);
  await fill(stores, "ann", MARK, EACH);
  await fill(stores, "bob", "Robert", 3);
  await stores.close();
  await flush();
  assert.notDeepEqual([withText(files, MARK), withText(files, HASH)], [[], []]);
  for (let n = 0; n < KILLS; n += 1) await killedEraser([url, "17", "ann"], Math.random);
  writeFileSync(join(folder, "framework.toml"), `[persistence]\nurl = ${JSON.stringify(url)}\n`);
  const command = ["compliance", "erase", "--subject", "ann", "--reason", "a test", "--id", "17"];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    programArguments("src/cli/main.ts", ...command, "--yes", "--compact"),
    { cwd: folder, env: bareEnvironment() },
  );

  for (const sink of ["runs", "letters", "sessions", "idempotency keys"])
    assert.match(stdout, new RegExp(`^${sink} +${EACH} erased +done$`, "m"), stdout);
  await flush();
  assert.deepEqual([withText(files, MARK), withText(files, HASH)], [[], []]);
  const left = openStores(url);
  assert.equal((await left.runs.read("bob 1")).length, 2);
  assert.equal(await left.deadLetters.count?.(), 3);
  await left.close();
}

describe("an erasure that is killed between rows", () => {
  test("is ended by the next try, counts each row once, and leaves nothing in the file or its log: SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "erasure-"));
    try {
      const url = `sqlite:${folder}/app.db`;
      await erasing({ url, folder, files: folder, flush: async () => {} });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("is ended by the next try, counts each row once, and leaves nothing in the tables' files: PostgreSQL", {
    skip: skipWithoutPostgres,
  }, async () => {
    const server = await startPostgres();
    const folder = mkdtempSync(join(tmpdir(), "erasure-"));
    try {
      const flush = async (): Promise<void> => {
        const client = new pg.Client(server.url);
        await client.connect();
        await client.query("CHECKPOINT");
        await client.end();
      };
      await erasing({ url: server.url, folder, files: join(server.folder, "data/base"), flush });
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
