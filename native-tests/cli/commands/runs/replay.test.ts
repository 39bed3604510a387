import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { openStores } from "framework";
import { EncryptionHook } from "framework/compliance";
import { Bus } from "#core/bus/bus.js";
import { RunId } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";
import { compileExecute } from "#runtime/axon/in-process.js";
import { withRuns } from "#runtime/definition/mounted-runs.js";
import { allowEffects } from "#runtime/replay/refused-effects.js";
import { folderWith } from "../../../support/config-folder.js";
import { type Changes, orders } from "../../../support/replayed-app.js";
import { moduleOf } from "../../../support/root.js";
import { runCommand } from "../../../support/run-command.js";

after(allowEffects);

const APP = JSON.stringify(pathToFileURL(moduleOf("native-tests/support/replayed-app.ts")));

describe("framework replay", () => {
  let folder = "";
  let url = "";
  let sample = "";
  let modules = 0;
  /** A module each: a command closes the stores. */
  const application = (changes: Changes = {}): string => {
    modules += 1;
    const file = join(folder, `app-${modules}.mjs`);
    const made = `replayedApp(${JSON.stringify(url)}, ${JSON.stringify(changes)})`;
    writeFileSync(file, `import { replayedApp } from ${APP};\nexport const app = ${made};\n`);
    return file;
  };
  before(async () => {
    folder = folderWith({});
    url = `sqlite:${join(folder, "app.db")}`;
    sample = join(folder, "orders.jsonl");
    writeFileSync(join(folder, "framework.toml"), `[persistence]\nurl = "${url}"\n`);
    const { runs, close, open } = openStores(url);
    await open();
    for (let n = 0; n < 20; n += 1) {
      const execute = compileExecute(withRuns(orders().definition, runs), Bus.of([[RunId, "none"]]));
      await execute({ email: `ann${n}@example.org`, prices: [n, 1] }, Bus.of([[RunId, `run-${n}`]]));
    }
    await close();
    const exported = await framework("runs", "export", application(), "--to", sample);
    assert.equal(exported.status, 0, exported.stderr);
  });
  const framework = (...args: readonly string[]) =>
    runCommand([...args, "--file", join(folder, "framework.toml")]);

  test("exits with 0 where the module comes to what the run came to", async () => {
    const { status, stdout, stderr } = await framework("replay", "run-3", application());

    assert.equal(stderr, "");
    assert.deepEqual(stdout.split("\n").slice(1), [
      `stores   ${url}`,
      "run run-3 of order: the same",
      "  ran         order/sum, order/tell",
      "  given back  order/pay",
      "",
    ]);
    assert.equal(status, 0);
  });

  test("exits with 1 where it does not, and names node, pointer and both values", async () => {
    const { status, stdout } = await framework("replay", "run-3", application({ factor: 2 }));

    assert.deepEqual(stdout.split("\n").slice(2, 5), [
      "run run-3 of order: differs at order/sum, entry 2: input /sum",
      "  log  4",
      "  now  8",
    ]);
    assert.equal(status, 1);
  });

  test("replays a sample of a masked export without a store, and counts the kinds of differences", async () => {
    const same = await framework("replay", "--sample", "10", sample, application());
    assert.equal(same.stdout, "10 runs: 10 the same, 0 differ, 0 could not be replayed\n");
    const { status, stdout } = await framework(
      "replay",
      "--sample",
      "500",
      sample,
      application({ factor: 2 }),
    );

    assert.match(
      stdout,
      /^20 of order: differs at order\/sum, entry 2: input \/sum\n {2}such as run run-\d+\n/,
    );
    assert.match(stdout, /\n20 runs: 0 the same, 20 differ, 0 could not be replayed\n$/);
    assert.equal(status, 1);
  });

  test("a step that would send mail is named, and no connection arrives", async () => {
    let connections = 0;
    const server = createServer(() => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port: mailPort } = server.address() as { readonly port: number };
    const { status, stdout } = await framework("replay", "run-3", application({ mailPort }));
    await new Promise((resolve) => server.close(resolve));

    assert.deepEqual(stdout.split("\n").slice(2, 4), [
      "run run-3 of order: REPLAY_EFFECT at order/tell",
      "  it called net.Socket.connect, and is not declared as an effect",
    ]);
    assert.deepEqual([status, connections], [1, 0]);
  });

  test("says that a run is encrypted, where it has no key", async () => {
    const encrypted = `sqlite:${join(folder, "encrypted.db")}`;
    const codec = new EncryptionHook({
      keys: () => ({ current: "1", keys: { "1": new Uint8Array(32).fill(7) } }),
    });
    const { runs, close, open } = openStores(encrypted, { codec });
    await open();
    const execute = compileExecute(withRuns(orders().definition, runs), Bus.of([[RunId, "none"]]));
    await execute({ email: "ann@example.org", prices: [1] }, Bus.of([[RunId, "run-1"]]));
    await close();
    const file = join(folder, "encrypted.mjs");
    writeFileSync(
      file,
      `import { replayedApp } from ${APP};\nexport const app = replayedApp(${JSON.stringify(encrypted)});\n`,
    );
    const { status, stderr } = await framework("replay", "run-1", file);

    assert.match(stderr, /run_part\.entries: it is encrypted under key '1', and this process has no keys/);
    assert.equal(status, 2);
  });

  test("prints JSON alone for programs, with values masked", async () => {
    const { stdout } = await framework("replay", "run-3", application({ factor: 2 }), "--json");
    const [told] = JSON.parse(stdout) as readonly [{ readonly [name: string]: Json }];
    assert.deepEqual(told, {
      ...{ run_id: "run-3", axon: "order", kind: "differs", ran: ["order/sum"], given: [] },
      difference: { node: "order/sum", of: "input", pointer: "/sum", stored: 4, now: 8, entry: 2 },
    });
    assert.doesNotMatch(stdout, /ann3/);
  });

  test("says what is wrong with the command line, the run and the file", async () => {
    const messages = await Promise.all(
      [
        ["replay", "run-3"],
        ["replay", "nobody", application()],
        ["replay", "run-3", application(), "--set", "Rate"],
        ["replay", "run-3", application(), "--set", "Plan=gold"],
        ["replay", "--sample", "many", sample, application()],
        ["replay", "--sample", "5", join(folder, "none.jsonl"), application()],
        ["replay", "--sample", "5", join(folder, "framework.toml"), application()],
      ].map(async (args) => {
        const { status, stderr } = await framework(...args);
        return [status, stderr.split("\n")[0]?.replaceAll(folder, ".")];
      }),
    );
    assert.deepEqual(messages, [
      [2, "framework: framework replay takes RUN MODULE, or --sample N FILE MODULE; --help tells more"],
      [2, "framework: there is no run 'nobody' in the store"],
      [2, "framework: --set Rate has no value: give KEY=JSON"],
      [2, `framework: the value of --set Plan is no JSON: a text takes quotes, as in 'Plan="gold"'`],
      [2, "framework: --sample many is no number of runs: give one from 1 to 9999999"],
      [2, "framework: ./none.jsonl cannot be read"],
      [2, "framework: line 1 of ./framework.toml is no run: framework runs export writes them"],
    ]);
  });
});
