// What stores hold so that work can be done again is shown without what is secret in it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  Framework,
  fault,
  MemoryDeadLetters,
  MemoryRuns,
  ProblemDetail,
  Sensitive,
  Type,
} from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

import { until } from "../support/patience.js";

const OPERATOR = "operator-token-0123456789";
const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
const PASSWORD = "hunter2-of-the-password";
const IBAN = "hunter2-of-the-mark";

const Payment = Type.Object({ password: Type.String(), iban: Sensitive(Type.String()), sku: Type.String() });
type Payment = typeof Payment.static;
const payment: Payment = { password: PASSWORD, iban: IBAN, sku: "tea" };
/** Under names that say nothing. */
const renamed = ({ password, iban, sku }: Payment) => ({
  sku,
  held: password,
  all: `${password} of ${iban}`,
});
const refused = ({ all }: { readonly all: string }) =>
  fault(new ProblemDetail({ status: 409, code: "REFUSED", title: "Refused", detail: `not ${all}` }));

const letters = new MemoryDeadLetters();
const store = new MemoryRuns();
const refund = Axon.start("refund", Payment)
  .thenCompensated(
    Axon.start<Payment>("reserve").thenFn("reserve", renamed).asTransition(),
    ({ input, output }) => {
      throw new Error(`cannot undo ${input.iban} of ${output.held}`);
    },
  )
  .thenFn("use", refused)
  .withDlqSink(letters);
let letGo = (): void => {};
const ship = Axon.start("ship", Payment)
  .thenFn("pack", renamed)
  .thenFn("send", async (packed) => {
    await new Promise<void>((resolve) => (letGo = resolve));
    return refused(packed);
  })
  .withPersistenceStore(store);

for (const capturePayloads of ["off", "hash", "full"] as const)
  describe(`what a store holds, with capture "${capturePayloads}"`, () => {
    const inspecting = async (
      use: (app: TestApp<any>, ask: (...of: any) => Promise<any>) => Promise<void>,
    ) => {
      const ingress = Framework.http({ reporter: () => {} })
        .post("/refund", refund)
        .post("/ship", ship)
        .inspector({ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR }), capturePayloads });
      const app = new TestApp<any>(ingress as never, {});
      await app.start();
      const { app: inspector } = inspectorOf(ingress);
      const ask = async (path: string, json?: unknown) => {
        const answer =
          json === undefined
            ? await inspector.get(path, { headers })
            : await inspector.post(path, { headers, json });
        assert.equal(answer.status, 200, answer.text);
        assert.doesNotMatch(answer.text, /hunter2/);
        return JSON.parse(answer.text).data;
      };
      await use(app, ask);
      await app.close();
      await inspector.close();
    };
    const wants = capturePayloads === "full";

    test("of a step and of a compensation that failed, before and behind a re-drive", async () => {
      await inspecting(async (app, ask) => {
        assert.equal((await app.post("/refund", { json: payment })).status, 409);
        const rows = (await ask("/api/v1/dlq")).letters;

        assert.deepEqual(rows.map(({ kind }: { kind: string }) => kind).sort(), ["compensation", "step"]);
        const [undo] = rows.filter(({ kind }: { kind: string }) => kind === "compensation");
        assert.equal(undo.input.kind, capturePayloads);
        if (wants)
          assert.deepEqual(undo.input.value, {
            input: { password: "[redacted]", iban: "[redacted]", sku: "tea" },
            output: { sku: "tea", held: "[redacted]", all: "[redacted] of [redacted]" },
          });
        for (const { id } of rows) await ask(`/api/v1/dlq/${id}/redrive`, {});
        for (const { attempts, id } of (await ask("/api/v1/dlq")).letters) {
          assert.equal(attempts, 2);
          await letters.remove(id);
        }
      });
    });

    test("of a run that is under way, and of how it ended", async () => {
      await inspecting(async (app, ask) => {
        const asked = app.post("/ship", { json: payment });
        let id = "";
        await until("the run is kept", async () => {
          id = (await ask("/api/v1/runs")).runs[0]?.run_id ?? "";
          return id !== "" && (await ask(`/api/v1/runs/${id}`)).node === "ship/send";
        });
        const { input } = await ask(`/api/v1/runs/${id}`);

        assert.equal(input.kind, capturePayloads);
        if (wants)
          assert.deepEqual(input.value, { sku: "tea", held: "[redacted]", all: "[redacted] of [redacted]" });
        letGo();
        assert.equal((await asked).status, 409);
        assert.equal((await ask(`/api/v1/runs/${id}`)).state, "faulted");
        await store.remove(id);
      });
    });
  });
