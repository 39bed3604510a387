import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, Framework, fault, json, MemoryDeadLetters, MemoryRuns, Type } from "framework";
import { TestApp } from "framework/http";
import { BearerAuth, inspectorOf } from "framework/inspector";
import { until } from "../support/patience.js";

const [OPERATOR, VIEWER] = ["operator-token-0123456789", "viewer-token-0123456789"];
const Order = Type.Object({ id: Type.String(), ends: Type.String() });

for (const capture of ["off", "full"] as const)
  test(`labels are in lists, runs and letters, and filter lists, with capture ${capture}`, async () => {
    const world: { goOn?: () => void } = {};
    const axon = Axon.start("order", Order)
      .withLabels({ order: Type.String({ maxLength: 100 }) })
      .withDlqSink(new MemoryDeadLetters())
      .withPersistenceStore(new MemoryRuns())
      .thenFn("label", { labels: ["order"] }, (order, bus) => {
        if (order.id !== "") bus.label("order", order.id);
        return order;
      })
      .thenFn("end", async ({ ends }) => {
        if (ends === "later") await new Promise<void>((resolve) => (world.goOn = resolve));
        return ends === "badly" ? fault({ kind: "no" as const }) : ends;
      })
      .thenFn("last", (ends) => ends);
    const ingress = Framework.http()
      .post("/orders", axon, { input: json(Order) })
      .inspector({
        ...{ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER }) },
        capturePayloads: capture,
      });
    await using app = new TestApp(ingress, {});
    await app.start();
    await using seen = inspectorOf(ingress).app;
    const get = async (path: string, token = VIEWER) => {
      const headers = { host: "localhost", authorization: `Bearer ${token}` };
      const { status, text } = await seen.get(`/api/v1/${path}`, { headers });
      return { status, ...JSON.parse(text) };
    };
    const labelsIn = (rows: readonly { readonly labels?: unknown }[]) => rows.map(({ labels }) => labels);
    const ask = async (id: string, ends: string) => app.post("/orders", { json: { id, ends } });

    await ask("1:2", "well");
    await ask("", "well");
    await ask("7", "badly");
    const late = ask("late", "later");
    await until("it waits", () => world.goOn !== undefined);

    const { traces } = (await get("traces")).data;
    assert.deepEqual(labelsIn(traces), [{ order: "7" }, undefined, { order: "1:2" }]);
    const found = (await get("traces?label=order:1%3A2")).data.traces;
    assert.deepEqual(labelsIn(found), [{ order: "1:2" }]);
    for (const none of ["order:1", "order:", "orders:7", "constructor:7"])
      assert.deepEqual((await get(`traces?label=${none}`)).data.traces, []);
    assert.deepEqual((await get(`traces/${found[0].run_id}`)).data.run.labels, { order: "1:2" });
    assert.deepEqual(labelsIn((await get("dlq", OPERATOR)).data.letters), [{ order: "7" }]);

    const [kept] = (await get("runs")).data.runs;
    assert.deepEqual(kept.labels, { order: "late" });
    assert.deepEqual((await get("runs?label=order:late")).data.runs, [kept]);
    assert.deepEqual((await get("runs?label=order:7")).data.runs, []);
    assert.deepEqual((await get(`runs/${kept.run_id}`)).data.labels, { order: "late" });
    for (const wrong of ["order", ":7", "a b:7", "1:7", `order:${"x".repeat(300)}`])
      for (const path of ["traces", "runs"]) {
        const { status, code } = await get(`${path}?label=${encodeURIComponent(wrong)}`);
        assert.deepEqual([status, code], [422, "INPUT_INVALID"], wrong);
      }
    world.goOn?.();
    await late;
  });
