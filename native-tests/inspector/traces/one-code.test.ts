// A failure has one code wherever an operator meets it: in the head of its run, in the lines of the
// run and of the log, and in the span of its request. A client is sent that code too, but for
// failures of the program, whose code is masked (docs/errors.md).

import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, BearerAuth, Framework, fault, json, ProblemDetail, synapse, Type, text } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import { keepLog } from "../../support/logged-ingress.js";
import { until } from "../../support/patience.js";
import { traced } from "../../support/traced-server.js";

const TOKEN = "operator-token-0123456789";
const MASKED = "INTERNAL_ERROR";
const Order = Type.Object({ qty: Type.Integer() });
const down = new ProblemDetail({ status: 503, code: "BANK_DOWN", title: "The bank is down" });
const forever = (signal: AbortSignal): Promise<string> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
const cycle = (): unknown => {
  const made: { self?: unknown } = {};
  made.self = made;
  return made;
};

/** By path: the code, what the client is sent, and whether the log has a line. */
const CASES: Record<string, readonly [code: string, sent: string, isLogged: boolean]> = {
  throws: ["TRANSITION_PANIC", MASKED, true],
  plain: ["FAULT_UNMAPPED", MASKED, true],
  problem: ["BANK_DOWN", "BANK_DOWN", false],
  service: ["BANK_DOWN", "BANK_DOWN", false],
  output: ["OUTPUT_INVALID", MASKED, true],
  cycle: ["ANSWER_FAILED", MASKED, true],
  slow: ["ROUTE_TIMEOUT", "ROUTE_TIMEOUT", false],
  refused: ["INPUT_INVALID", "INPUT_INVALID", false],
};

const service = () => {
  const ingress = Framework.http()
    .post(
      "/throws",
      Axon.start<string>("throws").thenFn("go", (): string => {
        throw new Error("a mistake");
      }),
      { input: text() },
    )
    .post(
      "/plain",
      Axon.start<string>("plain").thenFn("go", () => fault({ kind: "odd" as const })),
      { input: text() },
    )
    .post(
      "/problem",
      Axon.start<string>("problem").thenFn("go", () => fault(down)),
      { input: text() },
    )
    .post(
      "/service",
      Axon.start<string>("service").then(
        synapse({
          name: "bank",
          call: async (_: string): Promise<string> => {
            throw new Error("no route to the bank");
          },
          toFault: () => down,
        }),
      ),
      { input: text() },
    )
    .post(
      "/output",
      Axon.start<string>("output")
        .thenFn("go", () => ({ qty: "many" }) as never)
        .withOutputSchema(Order),
      { input: text() },
    )
    .post("/cycle", Axon.start<string>("cycle").thenFn("go", cycle), { input: text() })
    .post(
      "/slow",
      Axon.start<string>("slow").thenFn("wait", (_, bus) => forever(bus.signal)),
      { input: text(), timeoutMs: 20 },
    )
    .post(
      "/refused",
      Axon.start("refused", Order).thenFn("go", ({ qty }) => qty),
      { input: json(Order) },
    );
  return ingress.inspector({ enabled: true, auth: BearerAuth.tokens({ operator: TOKEN }) });
};

test("a failure has one code in its run, its lines, the log and the span of its request", async () => {
  await traced("", async ({ config, spans }) => {
    const ingress = service().config(config);
    const { lines } = keepLog(ingress);
    await using app = new TestApp<any>(ingress, {});
    await app.start();
    const { app: seen } = inspectorOf(ingress);
    const headers = { host: "localhost", authorization: `Bearer ${TOKEN}` };
    const ask = async (path: string): Promise<any> =>
      JSON.parse((await seen.get(`/api/v1/${path}`, { headers })).text).data;

    for (const [path, [code, sent, isLogged]] of Object.entries(CASES)) {
      const body = path === "refused" ? { json: { qty: "x" } } : { body: "x" };
      const response = await app.post(`/${path}`, body);
      let found: any;
      await until("its run is stored", async () => {
        const { traces } = await ask(`traces?circuit=${path}`);
        found = traces.find((row: any) => row.request.http_status === response.status);
        return found !== undefined;
      });
      const { run, logs, error } = await ask(`traces/${found.run_id}`);
      const requestId = run.request.request_id;
      const logged = lines().filter(
        (line) => line["request_id"] === requestId && line["module"] === "framework",
      );
      // Level error: warnings are of the program, and SERVICE_FAILED is of the service.
      const told = logged
        .filter(({ level }) => level === 50)
        .map((line) => line["code"])
        .filter((one) => one !== "SERVICE_FAILED");
      const span = (await spans()).find(({ attributes }) => attributes["url.path"] === `/${path}`);

      assert.equal(run.fault.code, code, path);
      assert.equal(response.problem.code, sent, path);
      assert.equal(run.fault.status, response.status, path);
      assert.deepEqual(told, isLogged ? [code] : [], path);
      assert.deepEqual(
        logs.map((line: any) => line.fields.code),
        logged.map((line) => line["code"]),
        path,
      );
      if (response.status >= 500) assert.equal(span?.attributes["error.type"], code, path);
      if (["throws", "cycle", "service"].includes(path)) assert.ok(error.stack.startsWith("Error: "), path);
    }
    await seen.close();
  });
});
