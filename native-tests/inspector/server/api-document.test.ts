import assert from "node:assert/strict";
import { test } from "node:test";

import type { documentOf } from "framework/openapi";
import { asViewer, inspected } from "../../support/inspected.js";
import { requireWhole } from "../../support/written-document.js";

test("the OpenAPI document of the Inspector has each endpoint, its schemas, its token and its refusals", async () => {
  const { app, ingress } = inspected();
  const asked = await app.get("/api/v1/openapi.json", asViewer);
  const document = asked.json as ReturnType<typeof documentOf>;
  requireWhole(document);
  const mounted = ingress
    .routes()
    .filter(({ path }) => path !== "/" && !path.startsWith("/assets"))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );

  assert.deepEqual([asked.status, described.sort()], [200, mounted.sort()]);
  const text = (value: unknown): string => JSON.stringify(value);
  const stalls = text(document.paths["/api/v1/stalls"]?.["get"]);
  assert.match(stalls, /"security":\[\{"bearerAuth":\[/);
  assert.match(stalls, /"default":\{"\$ref":"#\/components\/responses\/Problem"\}/);
  assert.match(text(document), /"const":"inspector\.stalls\.v1"/);
  const resume = text(document.paths["/api/v1/runs/{id}/resume"]?.["post"]);
  for (const code of ["KEPT_RUN_UNKNOWN", "WORKER_SILENT", "ACTION_UNRECORDED"])
    assert.match(resume + text(document["components"]), new RegExp(code));
  assert.match(text(document.paths["/api/v1/dlq/{id}"]?.["delete"]), /"204"/);
});

test("the OpenAPI document of the Inspector takes a token, and is made once", async () => {
  const { app } = inspected();

  assert.equal((await app.get("/api/v1/openapi.json", { headers: { host: "localhost" } })).status, 401);
  const [one, other] = [
    await app.get("/api/v1/openapi.json", asViewer),
    await app.get("/api/v1/openapi.json", asViewer),
  ];
  assert.equal(one.text, other.text);
});
