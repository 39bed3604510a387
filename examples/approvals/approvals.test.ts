// A claim that is approved, that its applicant tries to approve, that no one decides about, and whose
// process is killed while it waits and while it pays.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { MemoryRuns, openStores } from "framework";
import { TestApp } from "framework/http";
import { ManualClock } from "framework/runtime";

import { until } from "../../native-tests/support/patience.js";
import { startServer } from "../../native-tests/support/server-process.js";
import { expenses } from "./app.js";
import { Office } from "./office.js";

const folder = mkdtempSync(join(tmpdir(), "approvals-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const train = { cents: 4200, reason: "train to Leith" };
const as = (name: string) => ({ authorization: `Bearer ${name}` });

const DAY_MS = 86_400_000;
const post = (url: string, name: string, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { ...as(name), "content-type": "application/json" },
    body: JSON.stringify(body),
  });

interface Status {
  readonly state: string;
  readonly code?: string;
  readonly output?: { readonly approved: boolean; readonly receipt?: string };
}

describe("a claim", () => {
  const filed = async (app: TestApp<never>, name: string): Promise<string> => {
    const begun = await app.post("/claims", { json: train, headers: as(name) });
    assert.equal(begun.status, 202);
    return begun.headers["location"] ?? "";
  };
  const approve = async (app: TestApp<never>, claim: string, name?: string): Promise<number> => {
    const request = { json: { approved: true }, headers: name === undefined ? {} : as(name) };
    return (await app.post(`${claim}/approval`, request)).status;
  };
  const stateOf = async (app: TestApp<never>, claim: string): Promise<Status> =>
    (await app.get(claim)).json as Status;

  test("waits for a manager; its applicant cannot approve it, nor a manager their own", async () => {
    const office = new Office(join(folder, "refused.jsonl"));
    await using app = new TestApp(expenses(openStores("memory:")), { Office: office });
    const [adas, mias] = [await filed(app, "ada"), await filed(app, "mia")];

    assert.equal((await stateOf(app, adas)).state, "waiting");
    assert.deepEqual(
      [await approve(app, adas, "ada"), await approve(app, mias, "mia"), await approve(app, adas)],
      [404, 404, 401],
    );
    assert.equal(await approve(app, "/claims/unknown", "mia"), 404);
    assert.equal((await stateOf(app, adas)).state, "waiting");
    assert.deepEqual([await approve(app, adas, "mia"), await approve(app, mias, "max")], [202, 202]);
  });

  test("is not decided by a decision of another form", async () => {
    const office = new Office(join(folder, "malformed.jsonl"));
    await using app = new TestApp(expenses(openStores("memory:")), { Office: office });
    const claim = await filed(app, "ada");
    const { status } = await app.post(`${claim}/approval`, { json: { approved: "yes" }, headers: as("mia") });

    assert.equal(status, 422);
  });
});

describe("a claim that no manager decides about", () => {
  test("goes to the director after three days, and ends undecided after seven", async () => {
    // The store's clock decides when a run is due, and here the test moves it.
    const clock = new ManualClock();
    const office = new Office(join(folder, "late.jsonl"));
    const stores = { ...openStores("memory:"), runs: new MemoryRuns({ clock }) };
    const server = await expenses(stores).bind("127.0.0.1:0").run({ Office: office });
    try {
      const claim = (await post(`${server.url}/claims`, "ada", train)).headers.get("location");
      const status = async (): Promise<Status> =>
        (await (await fetch(`${server.url}${claim}`)).json()) as Status;
      const told = () => office.all().map(({ to }) => to);
      await until("it waits", async () => (await status()).state === "waiting");
      await clock.advance(3 * DAY_MS - 1);
      assert.deepEqual(told(), ["manager"]);
      await clock.advance(1);
      await until("the director is told, and it waits again", async () => {
        return told().includes("director") && (await status()).state === "waiting";
      });
      await clock.advance(4 * DAY_MS);
      await until("it has ended", async () => (await status()).state === "failed");

      assert.equal((await status()).code, "undecided");
    } finally {
      await server.close();
    }
  });
});

describe("a claim whose process is killed", () => {
  const start = (paysMs: number) =>
    startServer("../../examples/approvals/main.ts", {
      ...{ STORES: `sqlite:${join(folder, "app.db")}`, OFFICE: join(folder, "office.jsonl") },
      ...{ FRAMEWORK_SERVER_PORT: "0", LEASE_MS: "300", PAYS_MS: String(paysMs) },
    });

  test("while it waits, and again while it pays, is paid once", async () => {
    const office = new Office(join(folder, "office.jsonl"));
    const payments = () => office.all().filter(({ kind }) => kind === "payment");
    const first = await start(0);
    const begun = await post(`http://${first.address}/claims`, "ada", train);
    const claim = begun.headers.get("location");
    const stateAt = async (address: string): Promise<Status> =>
      (await (await fetch(`http://${address}${claim}`)).json()) as Status;
    await until("it waits", async () => (await stateAt(first.address)).state === "waiting");
    await first.stop("SIGKILL");

    const second = await start(60_000);
    assert.equal((await stateAt(second.address)).state, "waiting");
    assert.equal(
      (await post(`http://${second.address}${claim}/approval`, "mia", { approved: true })).status,
      202,
    );
    await until("the money has moved", () => payments().length > 0);
    await second.stop("SIGKILL");

    const third = await start(0);
    await until("it has ended", async () => (await stateAt(third.address)).state === "completed");
    const { output } = await stateAt(third.address);
    await third.stop();
    assert.deepEqual([output?.approved, typeof output?.receipt], [true, "string"]);
    assert.deepEqual(
      payments().map(({ to, cents }) => [to, cents]),
      [["ada", 4200]],
    );
  });
});
