import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, test } from "node:test";

import { folderWith } from "../../support/config-folder.js";
import { skipWithoutRedis, startRedis } from "../../support/redis-server.js";
import { runCommandIn } from "../../support/run-command-in.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

interface Finding {
  readonly check: string;
  readonly verdict: string;
  readonly finding: string;
  readonly remedy?: string;
}

const placeOf = (toml: string) => ({
  cwd: folderWith({ "framework.toml": toml }),
  env: { FRAMEWORK_PROFILE: "production" },
});

const findings = async (toml: string) => {
  const { status, stdout } = await runCommandIn(placeOf(toml), ["doctor", "--json"]);
  const found = JSON.parse(stdout) as readonly Finding[];
  return { status, of: (check: string) => found.filter((one) => one.check === check) };
};

/** Ports that are free. */
const FREE = "[server]\nport = 0\n[inspector]\nport = 0\n";

describe("framework doctor", () => {
  test("is 0 where a server can run", () => {
    const { cwd, env } = placeOf(FREE);
    // In a process of its own, whose mode is that of its variables.
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      programArguments("src/cli/main.ts", "doctor"),
      { cwd, encoding: "utf8", env: { ...bareEnvironment(), ...env } },
    );

    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(
      stdout,
      /^ok +configuration +framework\.toml; production: FRAMEWORK_PROFILE is 'production'$/m,
    );
    assert.match(stdout, /^ok +native server +@uwsjs\/linux-x64-\d+@[\d.]+, .*sha256/m);
    assert.match(stdout, /^ok +C library +glibc \d+\.\d+$/m);
    assert.match(stdout, /\n\nNothing is wrong\.\n$/);
  });

  test("finds a port that is taken, and names what shows its owner", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { status, of } = await findings(`[server]\nport = ${port}\n[inspector]\nport = 0\n`);
    other.close();

    const [found] = of("server.port");
    assert.deepEqual([status, found?.verdict], [1, "wrong"]);
    assert.match(found?.finding ?? "", /cannot be listened on: EADDRINUSE/);
    assert.match(found?.remedy ?? "", new RegExp(`sport = :${port}`));
  });

  test("finds each mistake of the configuration, with its line", async () => {
    const { status, of } = await findings("[server]\nprot = 1\nworkers = 0\n");

    assert.equal(status, 1);
    assert.deepEqual(
      of("configuration").map(({ finding }) => /^framework\.toml:\d+ [a-z.]+/.exec(finding)?.[0]),
      ["framework.toml:2 server.prot", "framework.toml:3 server.workers"],
    );
  });

  test("finds a store that cannot be reached, without its password, and a certificate that is missing", async () => {
    const { status, of } = await findings(
      `${FREE}[persistence]\nurl = "postgres://app:hunter22@127.0.0.1:1/shop"\n[tls]\nenabled = true\ncert_path = "a.pem"\nkey_path = "b.pem"\n`,
    );

    assert.equal(status, 1);
    assert.match(of("persistence.url")[0]?.finding ?? "", /^cannot be opened: .*ECONNREFUSED/);
    assert.doesNotMatch(JSON.stringify(of("persistence.url")), /hunter22/);
    assert.match(of("tls")[0]?.finding ?? "", /a\.pem/);
  });

  test("finds a Redis that is away, without its password", async () => {
    const { status, of } = await findings(`${FREE}[redis]\nurl = "redis://:hunter22@127.0.0.1:1"\n`);

    assert.equal(status, 1);
    assert.match(of("redis.url")[0]?.finding ?? "", /^cannot be used: .*redacted.*ECONNREFUSED/);
    assert.equal(of("redis.url")[0]?.finding.split("ECONNREFUSED").length, 2);
    assert.doesNotMatch(JSON.stringify(of("redis.url")), /hunter22/);
  });

  test("looks at a Redis, which must evict nothing", { skip: skipWithoutRedis }, async () => {
    const redis = await startRedis();
    const found = async () => (await findings(`${FREE}[redis]\nurl = "${redis.url}"\n`)).of("redis.url")[0];
    const fit = await found();
    await redis.client.config("SET", "maxmemory-policy", "allkeys-lru");
    const evicting = await found();
    await redis.stop();

    assert.deepEqual([fit?.verdict, fit?.finding], ["ok", `${redis.url} answers, and evicts nothing`]);
    assert.equal(evicting?.verdict, "wrong");
    assert.match(
      evicting?.finding ?? "",
      /allkeys-lru evicts keys and locks: set maxmemory-policy to noeviction/,
    );
  });

  test("finds a file of SQLite with tables to be made", async () => {
    const { status, of } = await findings(
      `${FREE}[persistence]\nurl = "sqlite:app.db"\nauto_migrate = false\n`,
    );

    assert.equal(status, 1);
    assert.match(of("persistence.url")[0]?.remedy ?? "", /framework store migrate/);
  });
});
