import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Axon, Bus, busKey, Framework, fault, isFault, openStores, Stores } from "framework";
import {
  fileAnchor,
  generateSigningKey,
  publicKeys,
  signedAudit,
  signingKey,
  verifyAudit,
} from "framework/audit";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";

const folder = mkdtempSync(join(tmpdir(), "stores-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newUrl = (): string => `sqlite:${join(folder, `${++files}.db`)}`;

const Noted = busKey<string[]>()("Noted");

const booking = Axon.start("booking", Type.Object({ cabin: Type.Integer() }))
  .withPersistenceStore(Stores.mounted)
  .thenCompensated(
    {
      name: "reserve",
      reads: [Noted],
      run: ({ cabin }: { readonly cabin: number }, bus) => reserve(bus, cabin),
    },
    {
      name: "release",
      reads: [Noted],
      run: ({ output }: { output: number }, bus) => note(bus, `released ${output}`),
    },
  )
  .thenFn("confirm", (cabin): number | ReturnType<typeof fault> =>
    cabin > 100 ? fault("no such cabin") : cabin,
  );

const note = (bus: { get(key: typeof Noted): string[] }, what: string): void =>
  void bus.get(Noted).push(what);
const reserve = (bus: { get(key: typeof Noted): string[] }, cabin: number): number => {
  note(bus, `reserved ${cabin}`);
  return cabin;
};

const ferry = (url: string) =>
  Framework.http({ resources: [Noted], processGuards: false })
    .stores(openStores(url))
    .readinessLivenessDefault()
    .post("/bookings", booking)
    .bind("127.0.0.1:0");

async function served(url = newUrl()) {
  const noted: string[] = [];
  const server = await ferry(url).run({ Noted: noted });
  const book = (cabin: number) =>
    fetch(`${server.url}/bookings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ cabin }),
    });
  return { server, noted, book };
}

describe("an ingress with stores", () => {
  test("signs and anchors at its start the audit events that an ended process left unsigned", async () => {
    const url = newUrl();
    const left = openStores(url);
    await left.audit.append({ actor: "alice", action: "pay", target: "order 7" });
    await left.close();
    const { privateKey, publicKey } = generateSigningKey();
    const anchor = fileAnchor(join(folder, "anchor.jsonl"));
    const stores = openStores(url);
    const server = await Framework.http({ processGuards: false })
      .stores(stores)
      .audit(signedAudit(stores.audit, { key: signingKey(privateKey), anchors: [anchor] }))
      .bind("127.0.0.1:0")
      .run();
    await server.close();

    const again = openStores(url);
    const found = await verifyAudit(again.audit, { keys: publicKeys(publicKey), anchor });
    assert.deepEqual([found.failures, found.adopted, found.behind], [[], 1, 0]);
    await again.close();
  });

  test("opens nothing before it is run, and keeps its runs there", async () => {
    const url = newUrl();
    const file = url.slice("sqlite:".length);
    ferry(url);
    assert.equal(existsSync(file), false);
    const { server, book } = await served(url);
    assert.equal((await book(7)).status, 200);
    await server.close();

    const stores = openStores(url);
    const [run] = await stores.runs.unfinished();
    assert.equal(run, undefined);
    await stores.close();
  });

  test("is ready only while its database can be asked", async () => {
    const { server } = await served();
    const ready = await (await fetch(`${server.url}/ready`)).json();
    await server.close();

    assert.deepEqual(
      ready.checks.map(({ name, status }: { name: string; status: string }) => [name, status]),
      [["stores", "ok"]],
    );
  });

  test("does not begin where the database cannot be opened, and says why", async () => {
    await assert.rejects(ferry(`sqlite:${folder}`).run({ Noted: [] }), {
      code: "STORE_UNAVAILABLE",
      message: /EISDIR/,
    });
  });

  test("is needed by an Axon that takes the store of where it is mounted", async () => {
    const without = Framework.http({ resources: [Noted] })
      .post("/bookings", booking)
      .bind("127.0.0.1:0");
    const missing = { code: "STORE_MISSING", message: /POST \/bookings \(Axon 'booking'\).*\.stores\(/ };

    await assert.rejects(without.run({ Noted: [] }), missing);
    assert.throws(() => new TestApp(without, { Noted: [] }), missing);
    await assert.rejects(async () => booking.execute({ cabin: 1 }, Bus.of([[Noted, []]])), {
      code: "STORE_MISSING",
    });
  });

  test("is refused twice, and where two kept Axons have one name", () => {
    assert.throws(() => ferry(newUrl()).stores(openStores("memory:")), { code: "CONFIG_INVALID" });
    const other = Axon.start("booking")
      .withPersistenceStore(Stores.mounted)
      .thenFn("do", () => 1);
    assert.throws(() => new TestApp(ferry(newUrl()).get("/other", other), { Noted: [] }), {
      code: "CONFIG_INVALID",
      message: /two Axons named 'booking'/,
    });
  });

  test("keeps runs in memory in a TestApp and in an AxonTestKit", async () => {
    const url = newUrl();
    await using app = new TestApp(ferry(url), { Noted: [] });
    const response = await app.post("/bookings", { json: { cabin: 3 } });
    const { outcome } = await new AxonTestKit({ Noted: [] }).run(booking, { cabin: 4 });

    assert.deepEqual([response.status, outcome], [200, 4]);
    assert.equal(existsSync(url.slice("sqlite:".length)), false);
  });
});

describe("the runs of a server", () => {
  test("are begun and left, and have their result later", async () => {
    const { server, noted } = await served();
    const begun = await server.runs.start(booking, { cabin: 5 }, { runId: "order-1" });
    assert.deepEqual(begun, { kind: "begun", runId: "order-1" });
    let result = await server.runs.result("order-1");
    while (result.kind === "running") result = await server.runs.result("order-1");

    assert.deepEqual(result, { kind: "completed", axon: "booking", isOutputKept: true, output: 5 });
    assert.deepEqual(await server.runs.start(booking, { cabin: 5 }, { runId: "order-1" }), {
      kind: "known",
      runId: "order-1",
    });
    assert.deepEqual(noted, ["reserved 5"]);
    assert.deepEqual(await server.runs.result("order-2"), { kind: "unknown" });
    await server.close();
  });

  test("are undone where they fail, and their result says so", async () => {
    const { server, noted } = await served();
    await server.runs.start(booking, { cabin: 500 }, { runId: "order-1" });
    let result = await server.runs.result("order-1");
    while (result.kind === "running") result = await server.runs.result("order-1");

    assert.deepEqual(result, { kind: "failed", axon: "booking", error: "no such cabin" });
    assert.deepEqual(noted, ["reserved 500", "released 500"]);
    await server.close();
  });

  test("are cancelled wherever they are, and undone", async () => {
    const url = newUrl();
    const stores = openStores(url);
    await stores.runs.append("stopped", 0, [
      ...[
        {
          kind: "begun",
          at: 1,
          axon: "booking",
          version: "1.0.0",
          node: "booking/reserve",
          input: { cabin: 9 },
        } as const,
      ].map((entry) => ({ ...entry, bus: {}, jumps: 0 })),
      {
        ...{ kind: "checkpoint", at: 2, node: "booking/confirm", input: 9, bus: {}, jumps: 0 },
        completed: [{ node: "booking/reserve", input: { cabin: 9 }, output: 9 }],
      },
    ]);
    await stores.close();
    const { server, noted } = await served(url);
    const outcome = await server.runs.cancel("stopped", "the ferry is cancelled");

    assert.ok(isFault(outcome));
    assert.deepEqual(noted, ["released 9"]);
    const { error } = outcome;
    assert.deepEqual(await server.runs.result("stopped"), { kind: "cancelled", axon: "booking", error });
    await server.close();
  });

  test("are none where no Axon is kept", async () => {
    const server = await Framework.http({ processGuards: false }).bind("127.0.0.1:0").run();

    await assert.rejects(async () => server.runs.result("order-1"), { code: "CONFIG_INVALID" });
    await server.close();
  });
});

describe("a server that stops", () => {
  test("leaves a kept run that takes too long unfinished, not undone, for the next host at once", async () => {
    const url = newUrl();
    const noted: string[] = [];
    const slow = Axon.start("slow", Type.Object({ cabin: Type.Integer() }))
      .withPersistenceStore(Stores.mounted)
      .thenCompensated(
        {
          ...{ name: "reserve", reads: [Noted] },
          run: ({ cabin }: { readonly cabin: number }, bus) => reserve(bus, cabin),
        },
        { name: "release", reads: [Noted], run: (_, bus) => note(bus, "released") },
      )
      .thenFn("wait", (cabin) => {
        noted.push("waiting");
        return new Promise<number>(() => cabin);
      });
    const server = await Framework.http({ resources: [Noted], processGuards: false })
      .stores(openStores(url))
      .post("/bookings", slow)
      .gracefulShutdown(50)
      .bind("127.0.0.1:0")
      .run({ Noted: noted });
    const body = JSON.stringify({ cabin: 1 });
    const lost = fetch(`${server.url}/bookings`, {
      ...{ method: "POST", body, headers: { "content-type": "application/json" } },
    });
    while (!noted.includes("waiting")) await new Promise(setImmediate);
    await Promise.all([assert.rejects(lost), server.close()]);
    const stores = openStores(url);
    const abandoned = await stores.runs.unfinished({ abandoned: true });
    await stores.close();

    assert.equal(abandoned.length, 1);
    assert.deepEqual(noted, ["reserved 1", "waiting"]);
  });
});
