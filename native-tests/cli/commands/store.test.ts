import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { FrameworkConfig, openStores } from "framework";
import Libsql from "libsql";
import { PostgresDatabase } from "#store/postgres/postgres-database.js";
import { STORE_VERSION } from "#store/sql/migrations.js";
import { tablesOf } from "#store/sql/tables.js";
import { folderWith } from "../../support/config-folder.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";
import { skipWithoutRedis, startRedis } from "../../support/redis-server.js";
import { runCommand } from "../../support/run-command.js";
import { runCommandIn } from "../../support/run-command-in.js";

const store = (...args: readonly string[]) => runCommand(["store", ...args]);

interface Place {
  readonly url: string;
  readonly shown: string;
  /** Runs it in the database, where it is. */
  readonly change: (sql: (version: string) => string) => Promise<void>;
}

/** The same for each database, of which `place` has a new one. */
function checksAndMigrates(place: () => Place): void {
  const table = (shown: string, tables: string) =>
    `store    ${shown}\ntables   ${tables}\nrelease  version ${STORE_VERSION}\n`;

  test("is checked, migrated and checked again", async () => {
    const { url, shown } = place();
    assert.deepEqual(await store("check", url), {
      status: 1,
      stdout: `${table(shown, "none")}A migration is needed: run "framework store migrate".\n`,
      stderr: "",
    });
    assert.deepEqual(await store("migrate", url), {
      status: 0,
      stdout: `${shown}: migrated from no tables to version ${STORE_VERSION}\n`,
      stderr: "",
    });
    assert.deepEqual(await store("check", url), {
      status: 0,
      stdout: table(shown, `version ${STORE_VERSION}`),
      stderr: "",
    });
    assert.deepEqual(await store("migrate", url), {
      status: 0,
      stdout: `${shown}: its tables are of version ${STORE_VERSION} already, nothing was done\n`,
      stderr: "",
    });
    const stores = openStores(url, { autoMigrate: false });
    await stores.open();
    await stores.close();
    const compacted = await store("compact", url);
    assert.equal(compacted.status, 0);
    assert.match(compacted.stdout, /The tables are rewritten without what was deleted\.\n$/);
  });

  test("is not touched where its tables are newer", async () => {
    const { url, shown, change } = place();
    await store("migrate", url);
    await change((version) => `UPDATE ${version} SET version = 99`);

    const checked = await store("check", url);
    assert.deepEqual([checked.status, checked.stderr], [1, ""]);
    assert.ok(checked.stdout.startsWith(table(shown, "version 99")), checked.stdout);
    assert.match(checked.stdout, /The tables are newer: use the release that made them/);
    const migrated = await store("migrate", url);
    assert.deepEqual([migrated.status, migrated.stdout], [1, ""]);
    assert.match(migrated.stderr, /tables are of version 99, this release knows/);
    assert.match((await store("check", url)).stdout, /version 99/);
  });
}

describe("a SQLite store of the command line", () => {
  let files = 0;
  const folder = folderWith();
  checksAndMigrates(() => {
    const file = join(folder, `${++files}.db`);
    return {
      ...{ url: `sqlite:${file}`, shown: `sqlite:${file}` },
      change: async (sql) => {
        const database = new Libsql(file);
        database.exec(sql("version"));
        database.close();
      },
    };
  });

  test("is not made by check, and left as it is", async () => {
    const missing = join(folder, "missing", "app.db");
    assert.equal((await store("check", `sqlite:${missing}`)).status, 1);
    assert.equal(existsSync(join(folder, "missing")), false);

    const file = join(folder, "other.db");
    const database = new Libsql(file);
    database.exec("CREATE TABLE notes (id integer)");
    database.close();
    const before = readFileSync(file);
    assert.equal((await store("check", `sqlite:${file}`)).status, 1);
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("other")),
      ["other.db"],
    );
  });

  test("is that of the configuration, whatever its auto_migrate", async () => {
    const file = join(folder, "configured.db");
    const toml = `persistence = { url = "sqlite:${file}", auto_migrate = false }\n`;
    const path = join(folderWith({ "framework.toml": toml }), "framework.toml");

    assert.equal((await store("check", "--file", path)).status, 1);
    assert.equal((await store("migrate", "--file", path)).status, 0);
    const stores = FrameworkConfig.load({ file: path, env: {} }).openStores();
    await stores.open();
    await stores.close();
  });

  test("is 2 where it cannot be asked", async () => {
    const broken = join(folder, "broken.db");
    writeFileSync(broken, "no database ".repeat(100));
    const mistaken = join(folderWith({ "framework.toml": "persistence = 1" }), "framework.toml");
    const unasked: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [[`sqlite:${broken}`], /because sqlite:.*broken\.db.*not a database/],
      [["memory:"], /because memory: .*; set persistence\.url, or give the URL/],
      [["mysql://:hunter22@db"], /because openStores: its URL is none of sqlite:/],
      [["--file", mistaken], /because The configuration has a mistake/],
    ];
    for (const command of ["check", "migrate"])
      for (const [args, message] of unasked) {
        const { status, stdout, stderr } = await store(command, ...args);
        assert.deepEqual([status, stdout], [2, ""], args.join(" "));
        assert.match(stderr, /^framework: the store could not be asked\n {2}because /);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /hunter22/);
      }
  });
});

describe("framework store encrypt", () => {
  const keyLine = (id: string) => `${id} ${Buffer.alloc(32, Number(id)).toString("base64")}\n`;
  const keysIn = (folder: string, ...ids: readonly string[]) => {
    const file = join(folder, "master-keys");
    writeFileSync(file, ids.map(keyLine).join(""), { mode: 0o600 });
    return file;
  };

  test("rewrites plain rows and older keys, and says of each key what uses it", async () => {
    const folder = folderWith({});
    const url = `sqlite:${join(folder, "app.db")}`;
    const plain = openStores(url);
    await plain.deadLetters.send({
      ...{ id: "a", kind: "step", axon: "visits", version: "1", node: "visits/1", input: "migraine" },
      ...{ error: "migraine", timeline: undefined, undone: [], failed_at: 1, attempts: 1 },
    });
    await plain.close();
    const first = await store("encrypt", url, "--keys", keysIn(folder, "1"));
    const second = await store("encrypt", url, "--keys", keysIn(folder, "2", "1"), "--compact");

    assert.deepEqual(first, {
      status: 0,
      stdout: `${url}: 1 rows rewritten under key 1\nkey 1: 1 rows\nplain: 0 rows\n`,
      stderr: "",
    });
    assert.equal(second.status, 0);
    assert.match(
      second.stdout,
      /: 1 rows rewritten under key 2\nkey 2: 1 rows\nkey 1: used by no row: it can be removed/,
    );
    assert.ok(!readFileSync(join(folder, "app.db"), "latin1").includes("migraine"));
    const third = await store("encrypt", url, "--keys", keysIn(folder, "3"));
    assert.equal(third.status, 1);
    assert.match(
      third.stdout,
      /key 3: 0 rows\nkey 2: 1 rows\nplain: 0 rows\nleft: letter\.letter of seq 1: table letter/,
    );
  });

  test("takes keys and store of the configuration, and says what is missing", async () => {
    const folder = folderWith({});
    const [url, keys] = [`sqlite:${join(folder, "app.db")}`, keysIn(folder, "1")];
    const toml = join(folder, "framework.toml");
    writeFileSync(toml, `[persistence]\nurl = "${url}"\nencryption_keys = "${keys}"\n`);
    await store("migrate", url);
    assert.equal((await store("encrypt", "--file", toml)).status, 0);

    chmodSync(keys, 0o644);
    const open = await store("encrypt", "--file", toml);
    writeFileSync(toml, `[persistence]\nurl = "${url}"\n`);
    const none = await store("encrypt", "--file", toml);
    const memory = await store("encrypt", "memory:", "--keys", keys);
    assert.deepEqual([open.status, none.status, memory.status], [2, 2, 2]);
    assert.match(open.stderr, /other users may read it/);
    assert.match(none.stderr, /give --keys FILE or env:VARIABLE, or set persistence\.encryption_keys/);
  });
});

describe("a PostgreSQL store of the command line", { skip: skipWithoutPostgres }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());
  const withPassword = () => server.url.replace("postgres@", "postgres:hunter22@");

  let schemas = 0;
  checksAndMigrates(() => {
    const schema = `s${++schemas}`;
    return {
      url: `${withPassword()}?schema=${schema}`,
      shown: `${server.url.replace("postgres@", "[redacted]@")}?schema=${schema}`,
      change: async (sql) => {
        const tables = tablesOf({ schema });
        const database = new PostgresDatabase({
          ...{ urls: [server.url], shown: "", schema, tables, ssl: false },
        });
        await database.write([{ sql: sql(tables.version), values: [] }]);
        await database.close();
      },
    };
  });

  test("is 2 where it cannot be asked, and its password is not told", async () => {
    const { port } = new URL(server.url);
    const urls: readonly (readonly [url: string, message: RegExp])[] = [
      [withPassword().replace(port, "1"), /ECONNREFUSED/],
      [withPassword().replace(`127.0.0.1:${port}`, "localhost:1"), /ECONNREFUSED/],
      [withPassword().replace(/postgres$/, "nowhere"), /database "nowhere" does not exist/],
    ];
    for (const command of ["check", "migrate"])
      for (const [url, message] of urls) {
        const { status, stdout, stderr } = await store(command, url, "--verbose");
        assert.deepEqual([status, stdout], [2, ""], url);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /hunter22/);
      }
  });
});

describe("framework store check", { skip: skipWithoutRedis }, () => {
  test("asks the Redis that it is given, and that of the configuration beside its store", async () => {
    const redis = await startRedis();
    const cwd = folderWith({
      "framework.toml": `[persistence]\nurl = "sqlite:app.db"\n[redis]\nurl = "${redis.url}"\n`,
    });
    const given = await store("check", redis.url);
    const configured = await runCommandIn({ cwd, env: {} }, ["store", "check"]);
    await redis.stop();
    const away = await store("check", redis.url, "--verbose");

    assert.deepEqual([given.status, given.stdout], [0, `redis    ${redis.url}\n`]);
    assert.match(configured.stdout, new RegExp(`^store .*\n.*\n.*\nredis    ${redis.url}\n.*migration`));
    assert.deepEqual([away.status, away.stdout], [2, ""]);
    assert.match(away.stderr, /ECONNREFUSED/);
  });
});
