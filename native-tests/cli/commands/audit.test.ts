import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { FrameworkConfig, openAudit } from "framework";
import Libsql from "libsql";
import { folderWith } from "../../support/config-folder.js";
import { runCommand } from "../../support/run-command.js";

const folder = mkdtempSync(join(tmpdir(), "audit-cli-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string): string => join(folder, name);

const audit = (...args: readonly string[]) => runCommand(["audit", ...args]);

const url = `sqlite:${path("audit.db")}`;
const key = path("audit.pem");
const anchor = path("anchor.jsonl");

before(async () => {
  assert.equal((await audit("keygen", key)).status, 0);
  const config = folderWith({
    "framework.toml": `[audit]\nurl = '${url}'\nsigning_key_file = '${key}'\nanchor = '${anchor}'\ncheckpoint_events = 4`,
  });
  const log = FrameworkConfig.load({ file: join(config, "framework.toml"), env: {} }).openAudit();
  for (let n = 1; n <= 4; n += 1)
    await log.append({
      id: `e${n}`,
      actor: n % 2 === 0 ? "bob" : "alice",
      action: "pay",
      target: `order\n${n}`,
    });
  await log.close();
});

describe("framework audit", () => {
  test("makes a key that its owner alone reads, and overwrites none", async () => {
    assert.equal(statSync(key).mode & 0o777, 0o600);
    assert.match(readFileSync(`${key}.pub`, "utf8"), /BEGIN PUBLIC KEY/);
    const { status, stderr } = await audit("keygen", key);

    assert.equal(status, 2);
    assert.match(stderr, /could not be read or written\n {2}because EEXIST/);
  });

  test("verifies a log, with the time of its anchor and what is not protected", async () => {
    const { status, stdout } = await audit("verify", "--url", url, "--key", `${key}.pub`, "--anchor", anchor);

    assert.equal(status, 0, stdout);
    assert.match(stdout, /events +4\n/);
    assert.match(stdout, /anchored +checkpoint 1 of \d{4}-\S+Z, up to event 4\n/);
    assert.match(stdout, /not protected +no event\nsound\n$/);
  });

  test("says that a log is unsigned where there is no key, and looks at hashes alone if told to", async () => {
    const unsigned = await audit("verify", "--url", url);
    assert.equal(unsigned.status, 1);
    assert.match(unsigned.stdout, /unsigned: no public key.*\nNOT SOUND: 1 failure\n$/);
    const { status, stdout } = await audit("verify", "--url", url, "--chain-only");

    assert.equal(status, 0);
    assert.match(stdout, /sound, .*: no signature was looked at\n$/);
  });

  test("names the option and all forms of a URL that it takes, and shows none that may have a password", async () => {
    for (const bad of ["mysql://app:hunter22@db", "memory:", "sqlite:", "hunter22"]) {
      const { status, stderr } = await audit("verify", "--url", bad);
      assert.equal(status, 2);
      assert.match(stderr, /--url: .* sqlite:PATH, postgres:\/\/\S+, file:FOLDER or archive:FILE/);
      assert.doesNotMatch(stderr, /hunter22/);
    }
    assert.throws(() => openAudit("mysql://app:hunter22@db"), {
      code: "CONFIG_INVALID",
      message:
        "openAudit: its URL is none of sqlite:PATH, postgres://USER@HOST/DATABASE, file:FOLDER or memory:",
    });
    assert.throws(() => openAudit("postgres://db/x?foo=1"), /^FrameworkError: openAudit\('postgres:/);
  });

  test("finds a change, and says where", async () => {
    const copy = path("changed.db");
    const database = new Libsql(path("audit.db"));
    database.exec(`VACUUM INTO '${copy}'`);
    database.close();
    const changed = new Libsql(copy);
    changed.exec("UPDATE audit SET actor = 'mallory' WHERE seq = 3");
    changed.close();
    const { status, stdout } = await audit(
      "verify",
      "--url",
      `sqlite:${copy}`,
      "--key",
      `${key}.pub`,
      "--json",
    );

    assert.equal(status, 1);
    const { failures } = JSON.parse(stdout);
    assert.deepEqual(
      failures.map(({ kind, position }: { kind: string; position: number }) => [kind, position]),
      [["edited", 3]],
    );
  });

  test("proves an event to whoever has the public key", async () => {
    const proof = path("proof.json");
    const { status, stdout } = await audit("prove", "e2", "--url", url);
    assert.equal(status, 0);
    writeFileSync(proof, stdout);
    const good = await audit("verify-proof", proof, "--key", `${key}.pub`);
    assert.equal(good.status, 0);
    assert.match(good.stdout, /actor +bob\naction +pay\ntarget +order\\n2\n(.*\n)*proved\n$/);
    writeFileSync(proof, stdout.replace('"bob"', '"eve"'));
    const bad = await audit("verify-proof", proof, "--key", `${key}.pub`);

    assert.deepEqual(bad, {
      status: 1,
      stdout: "NOT PROVED: its event has not the hash that it says\n",
      stderr: "",
    });
    assert.equal((await audit("prove", "none", "--url", url)).status, 1);
  });

  test("queries and exports", async () => {
    const lines = await audit("query", "--url", url, "--actor", "bob", "--newest-first");
    assert.match(
      lines.stdout,
      /^4 {2}\S+Z {2}bob {2}pay {2}order\\n4\n2 {2}\S+Z {2}bob {2}pay {2}order\\n2\n$/,
    );
    const exported = await audit("export", "--url", url, "--since", "2020-01-01");
    const events = exported.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      events.map(({ position, event }) => [position, event.id]),
      [1, 2, 3, 4].map((n) => [n, `e${n}`]),
    );
    const none = await audit("query", "--url", url, "--until", "2020-01-01T00:00:00Z");

    assert.deepEqual(none, { status: 0, stdout: "", stderr: "" });
  });

  test("moves old events to an archive, which verifies by itself", async () => {
    const log = openAudit(url);
    await log.append({ id: "e5", actor: "alice", action: "pay", target: "order 5" });
    await log.close();
    const archive = path("archive.jsonl");
    const retained = await audit(
      "retain",
      "--url",
      url,
      "--before",
      "2999-01-01",
      "--to",
      archive,
      "--signing-key",
      key,
    );
    assert.equal(
      retained.stdout,
      `4 events are in ${archive}; events up to 4 are archived\n`,
      retained.stderr,
    );
    const keys = ["--key", `${key}.pub`];
    const left = await audit("verify", "--url", url, ...keys);
    assert.equal(left.status, 0, left.stdout);
    assert.match(left.stdout, /note +events up to 4 are archived\n/);
    const archived = await audit("verify", "--url", `archive:${archive}`, ...keys);
    assert.equal(archived.status, 0, archived.stdout);

    assert.equal((await audit("prove", "e2", "--url", `archive:${archive}`)).status, 0);
  });

  test("ends with 2 where it cannot read what it was given, and makes nothing", async () => {
    const rsa = path("rsa.pub");
    writeFileSync(
      rsa,
      generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "pem" }),
    );
    chmodSync(key, 0o644);
    const bad: readonly (readonly [RegExp, readonly string[]])[] = [
      [/there is no audit log at/, ["verify", "--url", `sqlite:${path("none.db")}`]],
      [/it cannot be read/, ["verify", "--url", url, "--key", path("none.pub")]],
      [/it is of the kind rsa/, ["verify", "--url", url, "--key", rsa]],
      [/it is a private key/, ["verify", "--url", url, "--key", key]],
      [
        /other users may read it \(mode 644\)/,
        ["retain", "--url", url, "--before", "2999-01-01", "--to", path("x"), "--signing-key", key],
      ],
      [/write 2026-01-31/, ["query", "--url", url, "--since", "yesterday"]],
      [/whole number/, ["query", "--url", url, "--limit", "0"]],
      [/give a proof and a key/, ["verify-proof", "x"]],
      [/no archive/, ["verify", "--url", `archive:${rsa}`]],
    ];
    for (const [reason, args] of bad) {
      const { status, stderr } = await audit(...args);
      assert.equal(status, 2, String(reason));
      assert.match(stderr, reason);
    }
    chmodSync(key, 0o600);
    assert.equal(existsSync(path("none.db")), false);
  });
});
