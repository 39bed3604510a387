// Who sees what an exception says: its text can quote anything that a client has sent.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, BearerAuth, Framework, Log, MemoryDeadLetters } from "framework";
import { TestApp } from "framework/http";
import { type InspectorOptions, inspectorOf } from "framework/inspector";

import { keepLog } from "../../support/logged-ingress.js";

const OPERATOR = "operator-token-0123456789";
const VIEWER = "viewer-token-0123456789";
const SAYS = "the bank does not know mallory";
const BECAUSE = "her account is closed";

const DETAIL = "account 4711 is overdrawn";

class BankError extends Error {
  readonly code = "E_BANK";
  readonly detail = DETAIL;
}

const bankError = (): unknown => new BankError(SAYS, { cause: new Error(BECAUSE) });

/** A run has failed; how each role sees it. */
async function failed(
  options: InspectorOptions & { readonly production?: boolean } = {},
  thrown: () => unknown = bankError,
) {
  const { production = false, ...inspector } = options;
  const axon = Axon.start("pay")
    .thenFn(
      "charge",
      (_, bus) => {
        const error = thrown();
        bus.get(Log).warn({ err: error }, "charging");
        throw error;
      },
      { reads: [Log] },
    )
    .withDlqSink(new MemoryDeadLetters());
  const ingress = Framework.http()
    .post("/pay", axon)
    .inspector({
      enabled: true,
      auth: BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER }),
      sampleRatio: 1,
      ...inspector,
    });
  ingress.plan = { ...ingress.plan, production };
  const { text: logged } = keepLog(ingress);
  const app = new TestApp(ingress);
  await app.start();
  const { app: seen } = inspectorOf(ingress);
  const as = (token: string) => ({ host: "localhost", authorization: `Bearer ${token}` });
  const socket = await seen.ws("/api/v1/events", { headers: as(OPERATOR) });
  await socket.next();
  socket.send(JSON.stringify({ type: "subscribe", kinds: ["node_exit", "circuit_exit"] }));
  await app.post("/pay");
  let fed = "";
  while (!fed.includes('"circuit_exit"')) fed += String(await socket.next());
  void socket.close();
  const get = async (path: string, token: string): Promise<string> =>
    (await seen.get(`/api/v1/${path}`, { headers: as(token) })).text;
  const [{ run_id }] = JSON.parse(await get("traces", OPERATOR)).data.traces;
  const all = {
    operator: await get(`traces/${run_id}`, OPERATOR),
    viewer: await get(`traces/${run_id}`, VIEWER),
    letters: await get("dlq", OPERATOR),
    ...{ fed, logged: logged() },
  };
  await app.close();
  await seen.close();
  return all;
}

const isTold = (text: string): boolean => text.includes(SAYS) || text.includes(BECAUSE);

describe("what an exception says", () => {
  for (const options of [
    {},
    { capturePayloads: "full" },
    { production: true, capturePayloads: "full" },
  ] as const)
    test(`is in the log and in an operator's view of its run, and nowhere else, with ${JSON.stringify(options)}`, async () => {
      const { operator, viewer, letters, fed, logged } = await failed(options);

      const { error, run } = JSON.parse(operator).data;
      assert.equal(error.message, SAYS);
      assert.match(error.stack, /exceptions\.test/);
      assert.match(error.cause, new RegExp(BECAUSE));
      assert.match(logged, new RegExp(SAYS));
      for (const text of [viewer, letters, fed]) assert.ok(!isTold(text), text);
      for (const text of [operator, viewer, letters]) {
        assert.match(text, /BankError \(E_BANK\) at .*exceptions\.test/);
        assert.match(text, /charge/);
      }
      assert.equal(run.fault.code, "TRANSITION_PANIC");
    });

  test("is in the log alone in production, unless everything is captured", async () => {
    const { operator, viewer, letters, fed, logged } = await failed({ production: true });

    assert.match(logged, new RegExp(SAYS));
    assert.equal(JSON.parse(operator).data.error, null);
    for (const text of [viewer, letters, fed]) assert.ok(!isTold(text), text);
  });

  test("has its own members in captured values outside production alone", async () => {
    const outputOf = async (production: boolean, thrown?: () => unknown) => {
      const { viewer } = await failed({ production, capturePayloads: "full" }, thrown);
      const { nodes } = JSON.parse(viewer).data;
      return nodes.find(({ node }: { node: string }) => node === "pay/charge").output.value.cause;
    };

    assert.deepEqual(await outputOf(true), { type: "BankError", code: "E_BANK" });
    assert.deepEqual(await outputOf(false), { type: "BankError", code: "E_BANK", detail: DETAIL });
    assert.deepEqual(await outputOf(true, () => ({ detail: DETAIL })), "[object]");
    assert.deepEqual(await outputOf(true, () => DETAIL), "[string]");
    assert.deepEqual(await outputOf(false, () => ({ detail: DETAIL })), { detail: DETAIL });
  });

  test("leaves the log lines of a run for viewers, and stays in them for operators", async () => {
    const { operator, viewer } = await failed();
    const lineOf = (text: string) => JSON.parse(text).data.logs[0];

    assert.equal(lineOf(viewer).message, "charging");
    assert.ok(isTold(JSON.stringify(lineOf(operator))), operator);
    assert.ok(!isTold(JSON.stringify(lineOf(viewer))));
    assert.match(JSON.stringify(lineOf(viewer).fields), /E_BANK/);
  });
});
