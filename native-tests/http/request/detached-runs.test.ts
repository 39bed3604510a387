import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import {
  Axon,
  Framework,
  fault,
  guard,
  openStores,
  ProblemDetail,
  type Report,
  Stores,
  synapse,
  text,
} from "framework";
import { TestApp } from "framework/http";
import { IdempotencyGuard } from "framework/std";

/** An Axon that waits until it is told to go on. */
function packing() {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const axon = Axon.start("packing", Type.Object({ parcels: Type.Integer() }))
    .withPersistenceStore(Stores.mounted)
    .thenFn("pack", async ({ parcels }) => {
      await released;
      return parcels > 10 ? fault({ kind: "too-many" }) : { packed: parcels };
    });
  return { axon, release };
}

const closed = guard({
  name: "closed",
  run: (_input: unknown) => fault(new ProblemDetail({ status: 403, code: "CLOSED", title: "Closed" })),
});

const ingress = (axon: ReturnType<typeof packing>["axon"]) =>
  Framework.http({ reporter: () => {} })
    .stores(openStores("memory:"))
    .post("/parcels", axon, { detached: true })
    .post("/closed", axon, { detached: true, guards: [closed] })
    .runStatus("/runs/:run_id");

const ended = async (app: TestApp<never>, location: string) => {
  let status = await app.get(location);
  while ((status.json as { state: string }).state === "running") {
    await new Promise((resolve) => setImmediate(resolve));
    status = await app.get(location);
  }
  return status.json;
};

describe("a detached route", () => {
  test("answers 202 once the run's beginning is kept, with where its status is", async () => {
    const { axon, release } = packing();
    await using app = new TestApp(ingress(axon));
    const begun = await app.post("/parcels", { json: { parcels: 3 } });
    const { run_id: id } = begun.json as { run_id: string };
    assert.equal(begun.status, 202);
    assert.equal(begun.headers["location"], `/runs/${id}`);
    const running = await app.get(`/runs/${id}`);
    assert.deepEqual([running.json, running.headers["retry-after"]], [{ run_id: id, state: "running" }, "1"]);
    release();

    assert.deepEqual(await ended(app, `/runs/${id}`), {
      run_id: id,
      state: "completed",
      output: { packed: 3 },
    });
  });

  test("says of a run that failed what it failed with", async () => {
    const { axon, release } = packing();
    await using app = new TestApp(ingress(axon));
    release();
    const begun = await app.post("/parcels", { json: { parcels: 11 } });
    const { run_id: id } = begun.json as { run_id: string };

    assert.deepEqual(await ended(app, `/runs/${id}`), {
      ...{ run_id: id, state: "failed", code: "too-many", error: { kind: "too-many" } },
    });
  });

  test("is reported where its run fails: its steps have no other reader", async () => {
    const reports: Report[] = [];
    const kept = (name: string) => Axon.start<string>(name).withPersistenceStore(Stores.mounted);
    const later = () => new Promise((resolve) => setImmediate(resolve));
    const options = { input: text(), detached: true } as const;
    await using app = new TestApp(
      Framework.http({ reporter: (report) => reports.push(report) })
        .stores(openStores("memory:"))
        .post(
          "/throws",
          kept("throws").thenFn("sink", async (): Promise<string> => {
            await later();
            throw new Error("it sank");
          }),
          options,
        )
        .post(
          "/service",
          kept("service").then(
            synapse({
              name: "moor",
              call: async (_: string): Promise<string> => {
                await later();
                throw new Error("pier 7 caught fire");
              },
              toFault: () => ({ kind: "full" }),
            }),
          ),
          options,
        )
        .post(
          "/plain",
          kept("plain").thenFn("pack", async () => {
            await later();
            return fault({ kind: "too-many" });
          }),
          options,
        )
        .runStatus("/runs/:run_id"),
    );
    for (const path of ["/throws", "/service", "/plain"]) {
      const { headers } = await app.post(path, { body: "a" });
      await ended(app, headers["location"] ?? "");
    }

    assert.deepEqual(
      reports.map(({ code, axon, step, error }) => [code, axon, step, (error as Error).message]),
      [
        ["TRANSITION_PANIC", "throws", "sink", "it sank"],
        ["SERVICE_FAILED", "service", "moor", "pier 7 caught fire"],
      ],
    );
    assert.match(reports[0]?.message ?? "", /^Run '[\w-]{36}': Step 'sink' threw: it sank$/);
  });

  test("answers as ever where the run does not begin: a wrong input, a guard that refuses", async () => {
    const { axon } = packing();
    await using app = new TestApp(ingress(axon));

    assert.equal((await app.post("/parcels", { json: { parcels: "3" } })).status, 422);
    assert.equal((await app.post("/closed", { json: { parcels: 3 } })).status, 403);
  });

  test("answers each request of one idempotency key with the same run, while it runs and after", async () => {
    const { axon, release } = packing();
    const keyed = Framework.http({ reporter: () => {} })
      .stores(openStores("memory:"))
      .post("/parcels", axon, { detached: true, guards: [new IdempotencyGuard()] })
      .runStatus("/runs/:run_id");
    await using app = new TestApp(keyed);
    const send = async () => {
      const headers = { "idempotency-key": '"1"' };
      const { status, json } = await app.post("/parcels", { json: { parcels: 3 }, headers });
      return [status, (json as { run_id: string }).run_id] as const;
    };
    const [first, second] = [await send(), await send()];
    release();
    await ended(app, `/runs/${first[1]}`);

    assert.equal(first[0], 202);
    assert.deepEqual([second, await send()], [first, first]);
  });

  test("says 404 of an unknown run", async () => {
    const { axon } = packing();
    await using app = new TestApp(ingress(axon));
    const response = await app.get("/runs/none");

    assert.deepEqual([response.status, (response.json as { code: string }).code], [404, "RUN_UNKNOWN"]);
  });

  test("is refused where its Axon keeps no runs, and where no status is served", () => {
    const unkept = Axon.start<void>("unkept").thenFn("do", () => "done");
    assert.throws(() => Framework.http().get("/a", unkept, { detached: true }), {
      code: "ROUTE_INVALID",
      message: /withPersistenceStore/,
    });
    const { axon } = packing();
    const without = Framework.http().stores(openStores("memory:")).post("/parcels", axon, { detached: true });
    assert.throws(() => new TestApp(without), { code: "ROUTE_INVALID", message: /runStatus/ });
  });

  test("lets the guards of its status decide who may read it", async () => {
    const { axon, release } = packing();
    release();
    const guarded = Framework.http()
      .stores(openStores("memory:"))
      .post("/parcels", axon, { detached: true })
      .runStatus("/runs/:run_id", { guards: [closed] });
    await using app = new TestApp(guarded);
    const begun = await app.post("/parcels", { json: { parcels: 3 } });

    assert.equal((await app.get(begun.headers["location"] as string)).status, 403);
  });
});
