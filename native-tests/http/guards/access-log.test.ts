import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, Log, TraceContext, Type } from "framework";
import { TestApp } from "framework/http";
import { AccessLogGuard } from "framework/std";
import { keepLog } from "../../support/logged-ingress.js";

const hello = Axon.start("hello").thenFn("hello", () => "hello");

describe("the access log of an ingress", () => {
  test("has one line where several guards would write it: the innermost one's", async () => {
    const ingress = Framework.http()
      .guard(new AccessLogGuard({ query: true }))
      .get("/", hello)
      .group("/users", { guards: [new AccessLogGuard().redactPaths(["/users/*"])] }, (users) =>
        users.get("/:id", hello),
      );
    const { answered, text } = keepLog(ingress);
    const app = new TestApp(ingress);
    await app.get("/?page=2");
    await app.get("/users/hunter22?page=2");

    assert.deepEqual(
      answered().map(({ path, query }) => [path, query]),
      [
        ["/", "page=2"],
        ["/users/[redacted]", undefined],
      ],
    );
    assert.doesNotMatch(text(), /hunter/);
  });

  test("of one route is about that route alone", async () => {
    const ingress = Framework.http()
      .get("/", hello)
      .get("/logged", hello, { guards: [new AccessLogGuard()] });
    const { answered } = keepLog(ingress);
    const app = new TestApp(ingress);
    for (const path of ["/", "/logged", "/nowhere"]) await app.get(path);

    assert.deepEqual(
      answered().map(({ path }) => path),
      ["/logged"],
    );
  });

  test("has a refusal before the run of an Axon whose guard stands behind its first step", async () => {
    const late = Axon.start("late", Type.Object({}))
      .thenFn("first", (input) => input)
      .then(new AccessLogGuard());
    const ingress = Framework.http().post("/", late, { bodyLimit: 10 });
    const { answered, lines } = keepLog(ingress);
    const { status } = await new TestApp(ingress).post("/", {
      json: { long: "x".repeat(100) },
      headers: { "user-agent": "tests" },
    });

    assert.equal(status, 413);
    assert.equal(lines().length, 1);
    const [line] = answered();
    assert.deepEqual([line?.["status"], line?.["client"], line?.["user_agent"]], [413, "127.0.0.1", "tests"]);
    assert.match(line?.["request_id"], /^[0-9a-f-]{36}$/);
  });

  test("has the ids of the lines that steps write", async () => {
    const logging = Axon.start("logging").thenFn("log", (_, bus) => void bus.get(Log).info("from a step"), {
      reads: [Log, TraceContext],
      responses: [{ status: 204 }],
    });
    const ingress = Framework.http().requestIdLayer().guard(new AccessLogGuard()).get("/", logging);
    const { lines } = keepLog(ingress);
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const { headers } = await new TestApp(ingress).get("/", { headers: { traceparent } });

    const [step, access] = lines();
    for (const id of ["request_id", "trace_id", "span_id"]) assert.equal(step?.[id], access?.[id], id);
    assert.equal(access?.["request_id"], headers["x-request-id"]);
    assert.equal(access?.["trace_id"], "0af7651916cd43dd8448eb211c80319c");
    assert.deepEqual([step?.["msg"], access?.["msg"]], ["from a step", "answered"]);
  });

  test("begins no trace that nobody would know of", async () => {
    const ingress = Framework.http().guard(new AccessLogGuard()).get("/", hello);
    const { answered } = keepLog(ingress);
    const app = new TestApp(ingress);
    await app.get("/");
    await app.get("/", { headers: { traceparent: "none" } });

    assert.deepEqual(
      answered().map((line) => [line["status"], "trace_id" in line]),
      [
        [200, false],
        [200, false],
      ],
    );
  });

  test("has no lines where the level of its module holds them back", async () => {
    const ingress = Framework.http().guard(new AccessLogGuard()).get("/", hello);
    const { text } = keepLog(ingress, { moduleLevels: { "http.access": "warn" } });
    const { text: body } = await new TestApp(ingress).get("/");

    assert.deepEqual([body, text()], ["hello", ""]);
  });

  test("is written in the format of the log", async () => {
    const written = async (format: "compact" | "pretty") => {
      const ingress = Framework.http().guard(new AccessLogGuard()).get("/items/:id", hello);
      const { text } = keepLog(ingress, { format });
      await new TestApp(ingress).get("/items/7", { headers: { "x-request-id": "r-1" } });
      return text()
        .replace(/(\d\d:){2}\d\d\.\d{3}/, "TIME")
        .replace(/(duration_ms"?[=:])[\d.]+/, "$11");
    };

    assert.equal(
      await written("compact"),
      "TIME INFO  http.access: answered method=GET path=/items/7 route=/items/:id status=200 duration_ms=1 bytes=5 client=127.0.0.1 request_id=r-1\n",
    );
    assert.equal(
      await written("pretty"),
      '[TIME] INFO: answered {"module":"http.access","method":"GET","path":"/items/7","route":"/items/:id","status":200,"duration_ms":1,"bytes":5,"client":"127.0.0.1","request_id":"r-1"}\n',
    );
  });
});
