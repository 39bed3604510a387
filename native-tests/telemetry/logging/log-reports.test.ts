import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";

import {
  Axon,
  Framework,
  type FrameworkConfig,
  fault,
  Log,
  type Report,
  RequestId,
  TraceContext,
} from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";
import { LogNode } from "framework/std";
import { LogSource } from "#telemetry/logging/log-source.js";
import { loaded } from "../../support/config-folder.js";
import { keptLogger } from "../../support/logged-lines.js";

/** What a report becomes. */
function reported(report: Report): Record<string, any> {
  const { log, lines } = keptLogger();
  new LogSource(() => log).reporter(report);
  return lines()[0] ?? {};
}

describe("reports in the log", () => {
  test("have code, ids and the error with its cause", () => {
    const error = new Error("outer", { cause: new Error("inner") });
    const line = reported({
      code: "TRANSITION_PANIC",
      message: "it threw",
      step: "price",
      requestId: "abc",
      error,
    });

    assert.deepEqual(
      [line["level"], line["module"], line["code"], line["msg"], line["step"], line["request_id"]],
      [50, "framework", "TRANSITION_PANIC", "it threw", "price", "abc"],
    );
    assert.deepEqual([line["err"].message, line["err"].cause.message], ["outer", "inner"]);
  });

  test("take whatever was thrown", () => {
    for (const error of ["text\n{}", 5n, Symbol("s"), null, { toJSON: () => undefined }])
      assert.ok("thrown" in reported({ code: "STEP_PANIC", message: "a\nb", error })["err"]);
  });

  test("are process warnings where there is no log", async () => {
    const warned = once(process, "warning");
    new LogSource(() => {
      throw new Error("no pino");
    }).reporter({ code: "STEP_PANIC", message: "it threw" });

    const [{ message, detail }] = await warned;
    assert.match(`${message} ${detail}`, /The log failed\. .*: it threw Error: no pino/);
  });

  test("are warnings where nobody got less than was promised", () => {
    assert.equal(reported({ code: "LOOP_BLOCKED", message: "slow" })["level"], 40);
    assert.equal(reported({ code: "PROCESS_EXCEPTION", message: "over" })["level"], 60);
  });
});

describe("the log of a request", () => {
  const app = () => {
    const { log, lines } = keptLogger();
    const price = Axon.start("price").thenFn(
      "price",
      (_, bus) => {
        bus.get(Log).info({ cents: 5, request_id: "forged" }, "priced");
        return bus.get(RequestId);
      },
      { reads: [Log, RequestId] },
    );
    const node = Axon.start("node").then(new LogNode("seen", { level: "debug", select: () => ({ a: 1 }) }));
    const odd = Axon.start("odd").thenFn("odd", () => fault({ kind: "odd" }), { mayRead: [TraceContext] });
    const ingress = Framework.http().get("/price", price).get("/odd", odd).get("/node", node);
    const source = new LogSource(() => log);
    ingress.plan = { ...ingress.plan, log: source, reporter: source.reporter };
    return { app: new TestApp(ingress), lines };
  };

  test("has on each line the ids of the request, which no field overrides", async () => {
    const { app: served, lines } = app();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await served.get("/price", { headers: { "x-request-id": "r-1", traceparent } });

    const [line] = lines();
    assert.deepEqual(
      [line?.["msg"], line?.["cents"], line?.["request_id"], line?.["request_id_"], line?.["trace_id"]],
      ["priced", 5, "r-1", "forged", "0af7651916cd43dd8448eb211c80319c"],
    );
    assert.match(line?.["span_id"], /^(?!b7ad6b7169203331)[0-9a-f]{16}$/);
  });

  test("has an id that is made where the client gave none, the one that steps read", async () => {
    const { app: served, lines } = app();
    const { text } = await served.get("/price");

    assert.match(text, /^[0-9a-f-]{36}$/);
    assert.equal(lines()[0]?.["request_id"], text);
  });

  test("is whatever a test puts in its place", async () => {
    const { log, lines } = keptLogger();
    const axon = Axon.start("a").thenFn("b", (_, bus) => bus.get(Log).info("told"), { reads: [Log] });
    await new AxonTestKit().set(Log, log).run(axon, undefined);

    assert.equal(lines()[0]?.["msg"], "told");
  });

  test("is where a LogNode writes", async () => {
    const { app: served, lines } = app();
    await served.get("/node", { headers: { "x-request-id": "r-2" } });

    const [line] = lines();
    assert.deepEqual(
      [line?.["level"], line?.["msg"], line?.["value"], line?.["request_id"]],
      [20, "seen", { a: 1 }, "r-2"],
    );
  });

  test("has the ingress's reports too, unless another reporter was given", async () => {
    const { app: served, lines } = app();
    await served.get("/odd");

    const [line] = lines();
    assert.deepEqual([line?.["code"], line?.["axon"]], ["FAULT_UNMAPPED", "odd"]);
    assert.match(
      `${line?.["request_id"]} ${line?.["trace_id"]} ${line?.["span_id"]}`,
      /^[0-9a-f-]{36} [0-9a-f]{32} [0-9a-f]{16}$/,
    );
  });

  test("is the configuration's", () => {
    const config: FrameworkConfig = loaded("logging.level = 'error'") as FrameworkConfig;
    const reporter = () => {};

    assert.equal(Framework.http().config(config).plan.log.logger.level, "error");
    assert.equal(Framework.http().config(config).plan.log, Framework.http().config(config).plan.log);
    assert.notEqual(
      Framework.http({ reporter }).config(config).plan.reporter,
      Framework.http().config(config).plan.reporter,
    );
  });
});
