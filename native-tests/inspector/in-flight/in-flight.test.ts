import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, BearerAuth, busKey, Framework, json, Sensitive, Type } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

import type { InFlightRow, InFlightRun } from "#inspector/api/in-flight.js";
import { until } from "../../support/patience.js";

const OPERATOR = "operator-token-0123456789";
const VIEWER = "viewer-token-0123456789";
const auth = BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER });
const as = (token: string) => ({ headers: { host: "localhost", authorization: `Bearer ${token}` } });

const Total = busKey<number>()("Total");
const Payer = busKey<{ holder: string; number: string }>()("Payer");
const Order = Type.Object({ qty: Type.Integer(), number: Sensitive(Type.String()) });

/** A service whose second step waits until it is let go, with its Inspector. */
async function waiting(capturePayloads: "off" | "full" = "full") {
  const gate = { isReached: false, letGo: () => {} };
  const axon = Axon.start("order", Order)
    .thenFn("price", { sets: { total: Total, payer: Payer } }, ({ qty, number }, bus) => {
      bus.total = qty * 5;
      bus.payer = { holder: "<b>Ada</b>", number };
      return qty;
    })
    .thenFn("pay", { uses: { total: Total, payer: Payer } }, async (qty, bus) => {
      gate.isReached = true;
      await new Promise<void>((resolve) => (gate.letGo = resolve));
      return `${qty} for ${bus.total} of ${bus.payer.holder}`;
    });
  const ingress = Framework.http()
    .post("/orders", axon, { input: json(Order) })
    .inspector({ enabled: true, auth, capturePayloads });
  const app = new TestApp(ingress);
  await app.start();
  const { app: inspector } = inspectorOf(ingress);
  const asked = async <T>(path: string, token = VIEWER): Promise<T> =>
    ((await inspector.get(path, as(token))).json as { readonly data: T }).data;
  const order = app.post("/orders", { json: { qty: 3, number: "4111" } });
  await until("the run waits", () => gate.isReached);
  const close = async () => {
    gate.letGo();
    await order;
    await app.close();
    await inspector.close();
  };
  const rows = async () => (await asked<{ readonly runs: readonly InFlightRow[] }>("/api/v1/in-flight")).runs;
  return { inspector, gate, order, asked, rows, close };
}

describe("a run in flight", () => {
  test("is listed with its path, the keys of its Bus and its request, until it has ended", async () => {
    const { rows, gate, order, close } = await waiting("off");
    const [row, ...others] = await rows();
    assert.ok(row !== undefined && row.elapsed_ms >= 0);
    assert.deepEqual(
      [row.circuit, row.node, row.path, row.is_held, row.request?.path, others],
      ["order", "order/pay", ["order/price", "order/pay"], false, "/orders", []],
    );
    assert.deepEqual([...row.bus].sort(), ["Payer", "Total"]);
    gate.letGo();

    assert.equal((await order).text, "3 for 15 of <b>Ada</b>");
    assert.deepEqual(await rows(), []);
    await close();
  });

  test("shows the newest values of its Bus as capture and masking allow", async () => {
    const { rows, asked, close } = await waiting();
    const [row] = await rows();
    const { bus } = await asked<InFlightRun>(`/api/v1/in-flight/${row?.run_id}`);

    assert.deepEqual(Object.fromEntries(bus.map(({ key, value }) => [key, value])), {
      Total: { kind: "full", value: 15, is_cut: false },
      Payer: { kind: "full", value: { holder: "<b>Ada</b>", number: "[redacted]" }, is_cut: false },
    });
    await close();
  });

  test("is aborted by operators alone, and its client gets 503", async () => {
    const { inspector, rows, gate, order, close } = await waiting();
    const [row] = await rows();
    const path = `/api/v1/in-flight/${row?.run_id}/abort`;
    assert.equal((await inspector.post(path, as(VIEWER))).status, 403);
    const aborted = await inspector.post(path, as(OPERATOR));

    assert.deepEqual((aborted.json as { readonly data: unknown }).data, {
      run_id: row?.run_id,
      circuit: "order",
      node_id: "order/pay",
    });
    gate.letGo();
    assert.equal((await order).status, 503);
    assert.equal((await inspector.post(path, as(OPERATOR))).status, 404);
    await close();
  });
});
