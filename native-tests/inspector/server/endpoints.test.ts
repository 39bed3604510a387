import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { asOperator, asViewer, inspected } from "../../support/inspected.js";

interface Answer {
  readonly api_version: string;
  readonly kind: string;
  readonly data: any;
}

describe("what the Inspector tells of routes", () => {
  test("has their schemas whole, where their input comes from, and their circuits", async () => {
    const { app } = inspected();
    const { data, kind } = (await app.get("/api/v1/routes", asViewer)).json as Answer;
    const [user, order, hello] = data.routes;

    assert.equal(kind, "inspector.routes.v1");
    assert.deepEqual([user.input_from, user.input_schema], [["path", "query"], null]);
    assert.equal(user.parameters_schema.properties.id.minimum, 1);
    assert.equal(order.input_schema.properties.sku.minLength, 3);
    assert.equal(order.output_schema.properties.qty.maximum, 9);
    assert.deepEqual(
      order.nodes.map(({ node }: { node: string }) => node),
      ["order:in", "order/keep", "order:out"],
    );
    assert.deepEqual([hello.input_from, hello.input_schema, hello.circuit], [[], null, "hello"]);
  });

  test("has a template and samples that the route takes, and edges that say what they are", async () => {
    const { app } = inspected();
    const ask = async (path: string, json: object) =>
      ((await app.post(path, { ...asViewer, json })).json as Answer).data;
    const order = { method: "POST", path: "/orders" };

    assert.deepEqual(Object.keys((await ask("/api/v1/routes/schema", order)).template), ["sku", "qty"]);
    const one = await ask("/api/v1/routes/sample", { ...order, seed: 7 });
    assert.deepEqual(await ask("/api/v1/routes/sample", { ...order, seed: 7 }), one);
    assert.deepEqual([one.seed, one.mode, one.is_valid, one.note], [7, "random", true, null]);
    const edge = await ask("/api/v1/routes/sample", { ...order, seed: 7, mode: "edge" });
    assert.equal(typeof edge.note, "string");
    assert.equal(typeof (await ask("/api/v1/routes/sample", order)).seed, "number");
    assert.equal((await ask("/api/v1/routes/sample", { method: "GET", path: "/users/:id" })).is_valid, true);
  });

  test("names what is not there", async () => {
    const { app } = inspected();
    const codes = await Promise.all(
      [
        app.post("/api/v1/routes/schema", { ...asViewer, json: { method: "GET", path: "/none" } }),
        app.post("/api/v1/routes/sample", { ...asViewer, json: { method: "GET", path: "/hello" } }),
        app.get("/api/v1/schematics/none", asViewer),
        app.get("/api/v1/traces", asViewer),
        app.get("/api/v1/runs/1", asViewer),
        app.post("/api/v1/runs/1/resume", asOperator),
        app.get("/api/v1/audit/verify", asViewer),
        app.get("/metrics", asViewer),
      ].map(async (asked) => (await asked).problem.code),
    );

    assert.deepEqual(codes, [
      "ROUTE_UNKNOWN",
      "SCHEMA_UNKNOWN",
      "CIRCUIT_UNKNOWN",
      ...new Array(5).fill("CAPABILITY_PLANNED"),
    ]);
    const { problem } = await app.get("/api/v1/runs/1", asViewer);
    assert.deepEqual([problem.status, problem["capability"], problem["name"]], [501, "planned", "runs"]);
  });

  test("draws each circuit, with the routes that run it", async () => {
    const { app } = inspected({ watched: () => "all" });
    const { data } = (await app.get("/api/v1/schematics", asViewer)).json as Answer;
    const one = (await app.get("/api/v1/schematics/order", asViewer)).json as Answer;

    assert.deepEqual(
      data.circuits.map(({ name, kind, watched }: any) => [name, kind, watched]),
      [
        ["user", "route", "all"],
        ["order", "route", "all"],
        ["hello", "route", "all"],
      ],
    );
    assert.deepEqual(one.data.circuit.routes, ["POST /orders"]);
    assert.equal(one.data.schematic.nodes[0].input_schema.properties.sku.minLength, 3);
  });
});

describe("the endpoints of the Inspector", () => {
  test("change nothing over GET: no endpoint for operators is one", () => {
    const { ingress } = inspected();
    const unsafe = ingress.routes().filter(({ method }) => method !== "GET");

    assert.ok(unsafe.length > 8);
    for (const { method, path, guards } of ingress.routes()) {
      if (path === "/" || path === "/healthz" || path.startsWith("/assets")) continue;
      const isForViewers = ["/api/v1/tickets", "/api/v1/routes/schema", "/api/v1/routes/sample"].includes(
        path,
      );
      if (path === "/api/v1/events") assert.ok(guards.includes("InspectorTicket"));
      else
        assert.equal(
          guards.includes("InspectorRole"),
          method === "GET" || !isForViewers,
          `${method} ${path}`,
        );
    }
  });

  test("answer a problem to whatever is sent, and never 500", async () => {
    const { app } = inspected();
    const paths = [
      "/api/v1/relay",
      "/api/v1/routes/sample",
      "/api/v1/breakpoints",
      "/api/v1/paused/x/resume",
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.oneof(fc.json(), fc.string()), async (path, body) => {
        const headers = { ...asOperator.headers, "content-type": "application/json" };
        const response = await app.post(path, { headers, body });

        assert.ok(response.status >= 400 && response.status !== 500, `${path} ${response.status} ${body}`);
        assert.equal(typeof response.problem.code, "string");
      }),
      { numRuns: 200 },
    );
  });
});

describe("parameters of the Inspector's API", () => {
  test("are refused with 422 wherever they are wrong: unknown, missing, repeated, of another type", async () => {
    const { app } = inspected();
    const wrong = [
      ...[
        "traces?outcome=odd",
        "traces?http_status=9xx",
        "traces?http_status=40",
        "traces?code=",
        "traces?x=1",
      ],
      ...["traces?limit=many", "traces?limit=0", "traces?status=completed&status=faulted", "traces/diff?a=1"],
      ...["metrics", "routes", "schematics", "breakpoints", "paused", "stalls", "alerts", "offload"].map(
        (name) => `${name}?x=1`,
      ),
      ...[
        "metrics?window=5",
        "metrics/x?window=all",
        "dlq?limit=x",
        "runs?limit=x",
        "unmatched?status=9",
        "audit/verify?x=1",
      ],
    ];
    for (const path of wrong) {
      const { status, problem } = await app.get(`/api/v1/${path}`, asOperator);
      assert.deepEqual([path, status, problem.code], [path, 422, "INPUT_INVALID"]);
    }
    for (const path of ["/metrics?x=1", "/status?x=1"])
      assert.equal((await app.get(path, asOperator)).status, 422, path);
  });
});

test("of the Inspector's API only /metrics is compressed: lengths of the others could tell a secret", async () => {
  const { app } = inspected({ metrics: { text: async () => "a_total 1\n".repeat(500) } as never });
  const asked = { ...asViewer, headers: { ...asViewer.headers, "accept-encoding": "gzip" } };

  assert.equal((await app.get("/metrics", asked)).headers["content-encoding"], "gzip");
  const routes = await app.get("/api/v1/routes", asked);
  assert.ok(routes.text.length > 2000, String(routes.text.length));
  assert.equal(routes.headers["content-encoding"], undefined);
});
