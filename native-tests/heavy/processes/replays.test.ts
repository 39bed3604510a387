// A changed Axon over 100 stored runs: what is planted is found, and nothing is done again.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Bus, openStores, RunId } from "framework";
import { MemoryRuns, type Replayed, replayRun, type StoredRun } from "framework/runtime";
import { allowEffects } from "#runtime/replay/refused-effects.js";
import { folderWith } from "../../support/config-folder.js";
import { type Changes, journeys } from "../../support/replayed-journeys.js";

const RUNS = 100;
const JUMPS = 1000;

describe("an Axon that is replayed over 100 stored runs", () => {
  const smtp = { connections: 0, mails: 0 };
  const server = createServer((socket) => {
    smtp.connections += 1;
    socket.write("220 here\r\n");
    socket.setEncoding("utf8").on("data", (line) => {
      if (String(line).startsWith("RCPT")) smtp.mails += 1;
      socket.write("250 ok\r\n");
    });
    socket.on("error", () => {});
  });
  const asked = { count: 0 };
  const runs: StoredRun[] = [];
  let smtpPort = 0;

  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    smtpPort = (server.address() as AddressInfo).port;
    const stores = openStores(`sqlite:${join(folderWith({}), "runs.db")}`);
    await stores.open();
    const axon = journeys(stores.runs, { smtpPort, asked });
    for (let n = 0; n < RUNS; n += 1) {
      const run_id = `run-${n}`;
      const outcome = await axon.execute({ left: n === 0 ? JUMPS : 3, total: n }, Bus.of([[RunId, run_id]]));
      assert.deepEqual(outcome, { sum: (n + (n === 0 ? JUMPS : 3)) * 2.5 });
      runs.push({ run_id, entries: await stores.runs.read(run_id) });
    }
    await stores.close();
    assert.deepEqual([asked.count, smtp.mails], [RUNS, RUNS]);
    smtp.connections = 0;
  });

  after(() => {
    server.close();
    allowEffects();
  });

  const replayed = async (changes: Changes): Promise<readonly Replayed[]> => {
    const axon = journeys(new MemoryRuns(), { smtpPort, asked }, changes);
    const all: Replayed[] = [];
    for (const run of runs) all.push(await replayRun(axon, run));
    assert.deepEqual([asked.count, smtp.connections], [RUNS, 0], "no effect was done again");
    return all;
  };

  const differences = async (changes: Changes) =>
    (await replayed(changes)).flatMap((each, n) =>
      each.kind === "same" ? [] : [{ n, ...(each.kind === "differs" ? each.difference : each) }],
    );

  test("comes to the same where nothing has changed, and gives effects back", async () => {
    for (const each of await replayed({})) {
      assert.equal(each.kind === "same" && each.isWhole, true, JSON.stringify(each).slice(0, 500));
      assert.deepEqual(each.given, ["journey/sides/ask", "journey/mail"]);
    }
  });

  const planted = { pointer: "/total", of: "input" };

  test("differs at its first step in each run", async () => {
    const found = await differences({ first: true });
    assert.equal(found.length, RUNS);
    const n = 7;
    const at = { n, node: "journey/first", entry: 2 };
    assert.deepEqual(found[n], { ...at, ...planted, stored: 7, now: 8 });
  });

  test("differs at its last step in each run", async () => {
    const found = await differences({ last: true });
    assert.equal(found.length, RUNS);
    const n = 7;
    const at = { n, node: "journey/last", of: "output", pointer: "/sum" };
    assert.deepEqual(found[n], { ...at, stored: 25, now: 26, entry: 8 });
  });

  test("differs in the pass of 1000 that has changed, in the one run that has so many", async () => {
    const [found, ...others] = await differences({ loopAt: 300 });
    const entry = JUMPS - 300 + 3;
    assert.deepEqual(found, {
      ...{ n: 0, node: "journey/count", ...planted },
      ...{ stored: 701, now: 702, entry },
    });
    assert.deepEqual(others, []);
  });

  test("differs in a parallel step, beside an effect whose outcome is in the log", async () => {
    const found = await differences({ parallel: true });
    assert.equal(found.length, RUNS);
    const n = 7;
    const at = { n, node: "journey/sides", of: "input", pointer: "/double" };
    assert.deepEqual(found[n], { ...at, stored: 20, now: 30, entry: 6 });
  });

  for (const mail of ["undeclared", "caught"] as const)
    test(`sends no mail from a step that is ${mail}, and names it`, async () => {
      for (const each of await replayed({ mail })) {
        assert.equal(each.kind, "refused");
        if (each.kind !== "refused") return;
        assert.deepEqual([each.code, each.node], ["REPLAY_EFFECT", "journey/mail"]);
        assert.match(each.reason, /net\.Socket\.connect/);
      }
    });
});
