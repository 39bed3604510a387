import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";

import { openStores, type Stores } from "framework";
import type { HostRequest } from "#core/ports/host-requests.js";
import type { RunEntry } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";
import { folderWith } from "../../support/config-folder.js";
import { pause } from "../../support/patience.js";
import { moduleOf } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";

const AT = Date.parse("2026-03-01T10:00:00Z");

const begun = (input: Json, fields: object = {}): RunEntry => ({
  ...{ kind: "begun", at: AT, axon: "order", version: "1.0.0", node: "order.1", input, bus: {}, jumps: 0 },
  ...fields,
});
const ENDED: RunEntry = { kind: "ended", at: AT + 1000, output: "paid" };
const position = { node: "order.2", input: 1, bus: {}, jumps: 0 };
const waits = (fields: object = {}): RunEntry => ({
  ...{ kind: "waiting", at: AT + 500, completed: [], signals: ["approved"], ...position },
  ...fields,
});

let url = "";
let toml = "";
let stores: Stores;
let isOver = false;
let host = Promise.resolve();
const heard: HostRequest[] = [];

beforeEach(async () => {
  const folder = folderWith({ "framework.toml": "" });
  url = `sqlite:${join(folder, "app.db")}`;
  toml = join(folder, "framework.toml");
  writeFileSync(toml, `[persistence]\nurl = "${url}"\n`);
  stores = openStores(url);
  await stores.open();
  isOver = false;
  heard.length = 0;
});
afterEach(async () => {
  isOver = true;
  await host;
  await stores.close();
});

const framework = (...args: readonly string[]) => runCommand([...args, "--file", toml]);

/** Answers requests as a host does. */
function hosted(answer: (request: HostRequest) => Json | Promise<Json>): void {
  const turn = async (): Promise<void> => {
    while (!isOver) {
      for (const request of (await stores.requests?.open("host", 100)) ?? []) {
        if (!(await stores.requests?.take(request.id, "host"))) continue;
        heard.push(request);
        await stores.requests?.answer(request.id, "host", await answer(request));
      }
      await pause(10);
    }
  };
  host = turn();
}

describe("framework runs list and show", () => {
  test("lists runs of the asked state with a cursor for the next page, and prints the store first", async () => {
    for (const id of ["one", "two", "three"]) await stores.runs.append(id, 0, [begun(1), ENDED]);
    await stores.runs.append("other", 0, [begun(1, { axon: "refund" })]);

    const first = await framework("runs", "list", "--state", "completed", "--limit", "2");

    assert.equal(first.status, 0, first.stderr);
    const [profile, store, head, ...lines] = first.stdout.split("\n");
    assert.match(`${profile}\n${store}`, /^profile {2}.*\nstore {4}sqlite:/);
    assert.match(String(head), /^RUN +AXON +STATE +NODE +BEGAN +LAST$/);
    assert.match(lines.slice(0, 2).join("\n"), /^three +order +completed +order\.1 .*\ntwo +order /);
    const cursor = /^more: --cursor (\S+)$/.exec(String(lines[2]))?.[1] ?? "";
    const next = await framework("runs", "list", "--state", "completed", "--json", "--cursor", cursor);
    const { runs } = JSON.parse(next.stdout) as { runs: { run_id: string }[] };
    assert.deepEqual(
      runs.map(({ run_id }) => run_id),
      ["one"],
    );
    assert.match(next.stderr, /^profile/);
  });

  test("shows a run with its signals and history, masked by name, class and decoding", async () => {
    const input = { sku: "tea", password: "hunter2", email: "ada@example.org", when: { $: ["date", AT] } };
    await stores.runs.append("r'1", 0, [begun(input, { labels: { order: "17" } })]);
    await stores.runs.append("r'1", 1, [waits({ input, bus: { Note: "call +49 30 901820", Token: "t0p" } })]);
    await stores.runs.waits?.signal("r'1", { name: "approved", payload: { by: 7 }, id: "s-1" });

    const { status, stdout } = await framework("runs", "show", "r'1");

    assert.equal(status, 0);
    assert.doesNotMatch(stdout, /hunter2|ada@|901820|t0p/);
    assert.match(stdout, /^run +r'1$/m);
    assert.match(stdout, /^axon +order 1\.0\.0$/m);
    assert.match(stdout, /^state +waiting$/m);
    assert.match(stdout, /^labels +order:17$/m);
    assert.match(stdout, /"sku":"tea","password":"\[redacted\]","email":"\[redacted\]","when":"2026-03-01/);
    assert.match(stdout, /^signal approved +s-1 \{"by":7\}$/m);
    assert.match(stdout, /^2026-03-01T10:00:00Z +waiting +order\.2 +for approved$/m);
  });

  test("escapes control characters of stored texts", async () => {
    await stores.runs.append("a\u001b[2Jb", 0, [begun(1, { axon: "x\u0007" })]);

    const { stdout } = await framework("runs", "list");

    assert.match(stdout, /a\\u001b\[2Jb +x\\u0007/);
    assert.ok(!stdout.includes("\u001b") && !stdout.includes("\u0007"));
  });

  test("is 1 for an unknown run, and 2 with a remedy for a store that keeps none", async () => {
    const unknown = await framework("runs", "show", "nosuch");
    assert.deepEqual([unknown.status, unknown.stderr], [1, "framework: there is no run 'nosuch'\n"]);

    writeFileSync(toml, '[persistence]\nurl = "memory:"\n');
    const memory = await framework("runs", "list");
    assert.equal(memory.status, 2);
    assert.match(memory.stderr, /in the memory of each process: give the server's --inspector URL/);

    writeFileSync(toml, `[persistence]\nurl = "${url}-none"\n`);
    const none = await framework("runs", "list");
    assert.equal(none.status, 2);
    assert.match(
      none.stderr,
      /For another one set FRAMEWORK_PERSISTENCE_URL or .*\n {2}because sqlite:.*: there is no such file/,
    );
    assert.throws(() => statSync(`${url.slice("sqlite:".length)}-none`), { code: "ENOENT" });
  });

  test("is 1 for a run whose log is damaged, which hides no other run of a list", async () => {
    await stores.runs.append("damaged", 0, [begun(1), begun(1)]);
    await stores.runs.append("sound", 0, [begun(1)]);

    const show = await framework("runs", "show", "damaged");
    const list = await framework("runs", "list");

    assert.equal(show.status, 1);
    assert.match(show.stderr, /^framework: A log of a run that begins twice\n/);
    assert.match(list.stdout, /^sound .*\ndamaged /m);
  });

  test("names what is wrong with a filter, and what is near", async () => {
    for (const [args, message] of [
      [["--state", "stuk"], /--state 'stuk' is none of this command; did you mean stuck\?/],
      [["--since", "yesterday"], /--since 'yesterday': write 2026-01-31/],
      [["--label", "17"], /--label '17': write a name and a value/],
      [["--limit", "many"], /--limit 'many': write a whole number from 1 to 500/],
      [["--cursor", "x"], /--cursor is not that of a page of this list/],
    ] as const) {
      const { status, stderr } = await framework("runs", "list", ...args);
      assert.equal(status, 2, args.join(" "));
      assert.match(stderr, message);
    }
  });
});

describe("framework runs that act", () => {
  test("ask the hosts with the actor of the machine, and print the answer with the request", async () => {
    await stores.runs.append("one", 0, [begun(1)]);
    hosted(() => ({ kind: "resumed" }));

    const { status, stdout } = await framework("runs", "resume", "one");

    assert.equal(status, 0);
    const [request] = heard;
    assert.deepEqual([request?.kind, request?.target, request?.host], ["resume", "one", undefined]);
    assert.match(String(request?.by), /^cli:[^@]+@.+ \(unverified\)$/);
    assert.match(stdout, new RegExp(`^one {2}resumed {2}request ${request?.id}$`, "m"));
  });

  test("are refused at once where the store alone can tell, each by its reason", async () => {
    await stores.runs.append("ended", 0, [begun(1), ENDED]);
    await stores.runs.append("open", 0, [begun(1)]);

    for (const [args, reason] of [
      [["resume", "nosuch"], /^nosuch +refused RUN_UNKNOWN +there is no such run in this store$/m],
      [["cancel", "ended", "--reason", "x"], /^ended +refused RUN_ENDED +it has ended$/m],
      [["forget", "open"], /^open +refused RUN_UNFINISHED +it has not ended: cancel it first$/m],
    ] as const) {
      const { status, stdout } = await framework("runs", ...args);
      assert.equal(status, 1);
      assert.match(stdout, reason);
    }
    assert.equal((await stores.requests?.open("host", 10))?.length, 0);
  });

  test("say that no host answered in its time", async () => {
    await stores.runs.append("one", 0, [begun(1)]);

    const { status, stdout } = await framework("runs", "resume", "one", "--timeout", "1");

    assert.equal(status, 1);
    assert.match(stdout, /^one {2}unanswered {2}no host answered within 1 s, and no host of this store is/m);
  });

  test("count what a filter finds, and act with --yes alone, also where one is refused", async () => {
    for (const id of ["a", "b", "c"]) await stores.runs.append(id, 0, [begun(1), ENDED]);
    await stores.runs.append("open", 0, [begun(1)]);
    hosted(({ target }) => (target === "b" ? { kind: "refused", code: "RUN_TAKEN" } : { kind: "forgotten" }));

    const counted = await framework("runs", "forget", "--axon", "order");
    assert.deepEqual(
      [counted.status, counted.stderr, heard.length],
      [2, "framework: nothing was done: add --yes\n", 0],
    );
    assert.match(counted.stdout, /^order {2}completed {2}3\n3 runs$/m);

    const done = await framework("runs", "forget", "--axon", "order", "--yes", "--json");
    assert.equal(done.status, 1);
    const results = JSON.parse(done.stdout) as { id: string; result: string }[];
    assert.deepEqual(results.map(({ id, result }) => `${id} ${result}`).sort(), [
      "a forgotten",
      "b refused",
      "c forgotten",
    ]);
    assert.match(done.stderr, /^3 runs$/m);
    assert.deepEqual((await framework("runs", "forget", "a", "b")).status, 2);
    const bounded = await framework("runs", "forget", "--axon", "order", "--limit", "2");
    assert.match(bounded.stdout, /^2 runs: there may be more, --limit is 2$/m);
  });

  test("go on with the others where one fails", async () => {
    for (const id of ["good", "broken"]) await stores.runs.append(id, 0, [begun(1)]);
    hosted(({ target }) => (target === "good" ? { kind: "resumed" } : { kind: "failed", reason: "no room" }));

    const { status, stdout } = await framework("runs", "resume", "broken", "good", "--yes");

    assert.equal(status, 1);
    assert.match(stdout, /^broken {2}failed {3}no room; request .*\ngood {4}resumed {2}request/m);
    assert.match(stdout, /^1 failed, 1 resumed$/m);
  });

  test("follow a run with --wait until it ends, and are 1 where it fails", async () => {
    await stores.runs.append("good", 0, [begun(1)]);
    await stores.runs.append("bad", 0, [begun(1)]);
    const error = { $: ["fault", { code: "LOCK_BUSY", lock: "a" }] };
    hosted(async ({ target }) => {
      const end: RunEntry = target === "good" ? ENDED : { kind: "ended", at: AT, error };
      const failed: RunEntry = { kind: "failed", at: AT, error, completed: [] };
      const resumed: RunEntry = { kind: "resumed", at: AT, version: "1.0.0", ...position };
      await stores.runs.append(target, 1, target === "good" ? [resumed, end] : [resumed, failed, end]);
      return { kind: "resumed" };
    });

    const good = await framework("runs", "resume", "good", "--wait");
    const bad = await framework("runs", "resume", "bad", "--wait", "--json");

    assert.equal(good.status, 0, good.stdout);
    assert.match(good.stdout, /^good {2}resumed completed {2}paid; request /m);
    assert.equal(bad.status, 1);
    assert.equal((JSON.parse(bad.stdout) as { state: string }).state, "failed");
  });

  test("send signals and inputs of JSON, files and refuse what is none without quoting it", async () => {
    await stores.runs.append("one", 0, [begun(1)]);
    await stores.runs.append("one", 1, [waits()]);
    hosted(({ kind }) => (kind === "signal" ? { kind: "signalled", result: "woken" } : { kind: "begun" }));
    const file = join(toml, "..", "input.json");
    writeFileSync(file, '{"sku":"tea"}');

    const signal = await framework("runs", "signal", "one", "approved", "--payload", "7", "--id", "s");
    const start = await framework("runs", "start", "order", "--input", `@${file}`, "--run-id", "new");
    const wrong = await framework("runs", "start", "order", "--input", "{hunter2");

    assert.match(signal.stdout, /^one {2}woken {2}request/m);
    assert.match(start.stdout, /^new {2}begun {2}request/m);
    assert.deepEqual(
      heard.map(({ kind, target, payload }) => [kind, target, payload]),
      [
        ["signal", "one", { name: "approved", payload: 7, id: "s" }],
        ["start", "new", { axon: "order", input: { sku: "tea" } }],
      ],
    );
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /--input: its value is no JSON\. A text is '"tea"'/);
    assert.doesNotMatch(wrong.stderr, /hunter2/);
    for (const args of [
      ["start", "order"],
      ["signal", "one"],
      ["cancel", "one"],
      ["resume"],
      ["resume", "one", "--axon", "order"],
      ["start", "order", "--input", "1", "--run-id", "redrive-1"],
    ])
      assert.equal((await framework("runs", ...args)).status, 2, args.join(" "));
  });

  test("start no run of an Axon that no living host serves", async () => {
    await stores.runs.beat("host", 60_000, { pid: 1, machine: "here", axons: { order: "1.0.0" } });

    const { status, stdout } = await framework("runs", "start", "ordr", "--input", "1");

    assert.equal(status, 1);
    assert.match(
      stdout,
      /refused AXON_UNKNOWN +no living host serves a kept Axon 'ordr'; did you mean order\?/,
    );
  });
});

describe("framework dlq", () => {
  const letter = (id: string, fields: object = {}) => ({
    ...{ id, kind: "step" as const, axon: "order", version: "1.0.0", node: "order.2", attempts: 1 },
    ...{ input: { iban: "DE89370400440532013000" }, error: "no answer of ada@example.org" },
    ...{ timeline: undefined, undone: [], failed_at: AT, ...fields },
  });

  test("lists letters by time, and shows one with its values masked", async () => {
    await stores.deadLetters.send(letter("old", { failed_at: AT - 1e9 }));
    await stores.deadLetters.send(letter("new"));

    const list = await framework("dlq", "list", "--since", "2026-02-28", "--axon", "order");
    const show = await framework("dlq", "show", "new");

    assert.match(list.stdout, /^new +order +order\.2 +2026-03-01T10:00:00Z +1 /m);
    assert.doesNotMatch(list.stdout, /^old/m);
    assert.equal(show.status, 0);
    assert.match(show.stdout, /^fault +"no answer of \[redacted\]"$|^fault +"\[redacted\]"$/m);
    assert.match(show.stdout, /^input +\{"iban":"\[redacted\]"\}$/m);
    assert.doesNotMatch(list.stdout + show.stdout, /DE89|ada@/);
    assert.equal((await framework("dlq", "show", "none")).status, 1);
  });

  test("re-drives with --wait until the letter is gone, and says that another operator has it", async () => {
    for (const id of ["done", "again", "taken"]) await stores.deadLetters.send(letter(id));
    hosted(async ({ target }) => {
      if (target === "done") await stores.deadLetters.remove(target);
      if (target === "again") await stores.deadLetters.send(letter("again", { attempts: 2 }));
      return target === "taken" ? { kind: "refused", code: "busy" } : { kind: "begun" };
    });

    const { status, stdout } = await framework(
      "dlq",
      "redrive",
      "done",
      "again",
      "taken",
      "gone",
      "--wait",
      "--yes",
    );

    assert.equal(status, 1);
    assert.match(stdout, /^done +begun completed +request/m);
    assert.match(stdout, /^again +begun failed +request/m);
    assert.match(stdout, /^taken +refused busy +a re-drive of it is at work, perhaps of another operator/m);
    assert.match(stdout, /^gone +refused unknown +there is no such letter/m);
  });

  test("discards nothing without --yes, also one letter", async () => {
    await stores.deadLetters.send(letter("one"));
    hosted(() => ({ kind: "discarded" }));

    const asked = await framework("dlq", "discard", "one");
    const done = await framework("dlq", "discard", "--axon", "order", "--yes", "--reason", "a test");

    assert.deepEqual([asked.status, heard.length], [2, 1]);
    assert.match(asked.stdout, /^1 dead letter$/m);
    assert.match(done.stdout, /^one {2}discarded {2}request/m);
    assert.deepEqual([heard[0]?.kind, heard[0]?.reason], ["discard", "a test"]);
  });
});

describe("framework runs export", () => {
  test("writes masked logs with their structure to a new file of its owner", async () => {
    const input = { sku: "tea", email: "ada@example.org", when: { $: ["date", AT] }, note: "x".repeat(9000) };
    const completed = [{ node: "order.1", input, output: { password: "p", n: 1 } }];
    const identity = (subject: string) => ({ IamIdentity: { subject, roles: ["clerk"], claims: {} } });
    await stores.runs.append("r1", 0, [begun(input, { subject: "s".repeat(43), bus: identity("ada") })]);
    await stores.runs.append("r1", 1, [{ kind: "checkpoint", at: AT, completed, ...position }, ENDED]);
    await stores.runs.append("r2", 0, [begun(1, { axon: "refund" })]);
    const to = join(toml, "..", "runs.jsonl");

    const { status, stderr } = await framework("runs", "export", "--axon", "order", "--to", to);

    assert.equal(status, 0, stderr);
    assert.equal(statSync(to).mode & 0o777, 0o600);
    const line = JSON.parse(readFileSync(to, "utf8")) as { run_id: string; axon: string; entries: Json[] };
    const shown = { ...input, email: "[redacted]" };
    assert.deepEqual(line, {
      ...{ run_id: "r1", axon: "order" },
      entries: [
        begun(shown, { subject: "[redacted]", bus: identity("[redacted]") }),
        {
          ...{ kind: "checkpoint", at: AT, ...position },
          completed: [{ node: "order.1", input: shown, output: { password: "[redacted]", n: 1 } }],
        },
        ENDED,
      ],
    });
    assert.equal((await framework("runs", "export", "--to", to)).status, 2);
  });

  test("masks what the schemas of a module mark, and has all values with --unmasked", async () => {
    const input = { patient: "P17", email: "ada@example.org", illness: "measles" };
    await stores.runs.append("r1", 0, [begun(input, { axon: "nightly", node: "nightly/sum" })]);
    const inputOf = async (...args: readonly string[]) => {
      const { stdout, stderr } = await framework("runs", "export", ...args);
      assert.match(stderr, /^runs: 1, on stdout/m);
      return (JSON.parse(stdout) as { entries: { input: Json }[] }).entries[0]?.input;
    };

    const app = moduleOf("native-tests/support/processed-app.ts");
    assert.deepEqual(await inputOf(), { ...input, email: "[redacted]" });
    assert.deepEqual(await inputOf(app), { ...input, email: "[redacted]", illness: "[redacted]" });
    assert.deepEqual(await inputOf("--unmasked", "--yes"), input);
  });
});
