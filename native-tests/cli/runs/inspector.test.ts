import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Axon, Framework, fault, openStores, Sensitive, Stores, signal, Type } from "framework";
import { BearerAuth } from "framework/inspector";
import { folderWith } from "../../support/config-folder.js";
import { until } from "../../support/patience.js";
import { runCommand } from "../../support/run-command.js";

const TOKEN = "a-token-of-an-operator-of-this-test";
const VARIABLE = "FRAMEWORK_INSPECTOR_BEARER_TOKEN";
const Go = signal<number>()("go", Type.Number());

describe("commands on runs with --inspector", () => {
  const links: string[] = [];
  const stores = openStores(`sqlite:${join(folderWith({}), "app.db")}`);
  let isDown = true;
  const hears = Axon.start("hears", Type.Object({ email: Sensitive(Type.String(), { category: "email" }) }))
    .withPersistenceStore(Stores.mounted)
    .waitFor(Go, { timeoutMs: 3_600_000 })
    .thenFn("end", () => "heard");
  const pays = Axon.start("pays", Type.Number())
    .withPersistenceStore(Stores.mounted)
    .withDlqSink(stores.deadLetters)
    .thenFn("pay", (n) => (isDown ? fault("down" as never) : n));
  const begin = () =>
    Framework.http()
      .runStatus("/runs/:run_id")
      .stores(stores)
      .post("/hears", hears, { detached: true })
      .post("/pays", pays, { detached: true })
      .inspector({
        ...{ enabled: true, port: 0, auth: BearerAuth.tokens({ operator: TOKEN }) },
        announce: (link) => links.push(link),
      })
      .bind("127.0.0.1:0")
      .run();
  let server: Awaited<ReturnType<typeof begin>>;
  before(async () => {
    server = await begin();
    process.env[VARIABLE] = TOKEN;
  });
  after(async () => {
    delete process.env[VARIABLE];
    await server.close();
  });
  const framework = (...args: readonly string[]) =>
    runCommand([...args, "--inspector", new URL(links[0] as string).origin]);
  const waiting = async (runId: string): Promise<void> => {
    await server.runs.start(hears, { email: "ada@example.org" }, { runId });
    await until("it waits", async () => (await server.runs.result(runId)).kind === "waiting");
  };

  test("list and show runs, signal, wake and cancel them, and refuse what the server refuses", async () => {
    for (const id of ["a/1", "b", "c"]) await waiting(id);

    const list = await framework("runs", "list", "--axon", "hears", "--state", "waiting", "--limit", "2");
    const show = await framework("runs", "show", "a/1");
    const signalled = await framework("runs", "signal", "a/1", "go", "--payload", "7", "--wait");
    const again = await framework("runs", "signal", "a/1", "go", "--payload", "7");
    const wrong = await framework("runs", "signal", "b", "go", "--payload", '"x"');
    const cancelled = await framework("runs", "cancel", "b", "--reason", "a test", "--wait", "--json");
    const woken = await framework("runs", "wake", "--axon", "hears", "--yes");

    assert.equal(list.status, 0, list.stderr);
    assert.match(list.stdout, /^inspector {2}http:.*\n/);
    assert.match(list.stdout, /^c +hears +waiting .* for go until 20.*$/m);
    assert.match(list.stdout, /^more: --cursor \S+$/m);
    assert.match(show.stdout, /^run +a\/1\naxon +hears .*\nstate +waiting$/m);
    assert.doesNotMatch(show.stdout, /ada@/);
    assert.match(signalled.stdout, /^a\/1 {2}woken completed$/m);
    assert.match(again.stdout, /^a\/1 {2}refused KEPT_RUN_ENDED {2}Run 'a\/1' has ended$/m);
    assert.match(wrong.stdout, /^b {2}refused KEPT_SIGNAL_INVALID {2}\/payload: a number$/m);
    assert.equal(cancelled.status, 0, cancelled.stdout);
    assert.equal((JSON.parse(cancelled.stdout) as { state: string }).state, "cancelled");
    assert.match(woken.stdout, /^c {2}woken$/m);
    assert.deepEqual([again.status, wrong.status, woken.status], [1, 1, 0]);
    assert.equal((await framework("runs", "show", "nosuch")).status, 1);
  });

  test("list, show, re-drive and discard dead letters", async () => {
    for (const n of [1, 2]) await server.runs.start(pays, n, { runId: `pays-${n}` });
    await until("both failed", async () => (await stores.deadLetters.list()).length === 2);
    const [one, two] = (await stores.deadLetters.list()).map(({ id }) => id) as [string, string];

    const list = await framework("dlq", "list", "--axon", "pays");
    const show = await framework("dlq", "show", one);
    const failed = await framework("dlq", "redrive", one);
    isDown = false;
    const done = await framework("dlq", "redrive", one, "--wait");
    const discarded = await framework("dlq", "discard", two, "--yes");

    assert.match(list.stdout, new RegExp(`^${one} +pays +pays\\S* +20`, "m"));
    assert.match(show.stdout, /^axon +pays /m);
    assert.match(failed.stdout, /failed +it failed again/);
    assert.match(done.stdout, /(?:begun|done) completed/);
    assert.match(discarded.stdout, / {2}discarded$/m);
    assert.deepEqual([failed.status, done.status, discarded.status], [1, 0, 0]);
    assert.deepEqual(await stores.deadLetters.list(), []);
  });

  test("start a run, once, and forget it when it has ended", async () => {
    const start = ["runs", "start", "pays", "--input", "3", "--run-id", "new"] as const;
    isDown = false;
    const begun = await framework(...start, "--wait");
    const known = await framework(...start);
    const wrong = await framework("runs", "start", "pays", "--input", '"x"');
    const forgotten = await framework("runs", "forget", "new");

    assert.match(begun.stdout, /^new {2}begun completed$/m);
    assert.match(known.stdout, /^new {2}known$/m);
    assert.match(wrong.stdout, / refused [A-Z_]+ /);
    assert.match(forgotten.stdout, /^new {2}forgotten$/m);
    assert.deepEqual([begun.status, known.status, wrong.status, forgotten.status], [0, 0, 1, 0]);
    assert.equal((await server.runs.result("new")).kind, "unknown");
  });

  test("are 2 without a token, and where no Inspector responds", async () => {
    delete process.env[VARIABLE];
    const refused = await framework("runs", "list");
    process.env[VARIABLE] = TOKEN;
    const nobody = await runCommand(["runs", "list", "--inspector", "http://127.0.0.1:1"]);

    assert.deepEqual([refused.status, nobody.status], [2, 2]);
    assert.match(refused.stderr, /asks for a token: set FRAMEWORK_INSPECTOR_BEARER_TOKEN/);
    assert.match(nobody.stderr, /no Inspector responds at http:\/\/127\.0\.0\.1:1/);
  });
});
