import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, Framework, Sensitive, Type } from "framework";
import { Public } from "framework/compliance";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

test("a circuit has level and category of each field that the schemas of its nodes mark", async () => {
  const Patient = Type.Object({
    name: Sensitive(Type.String()),
    findings: Type.Array(
      Type.Object({ text: Sensitive(Type.String(), { level: "restricted", category: "health" }) }),
    ),
    ward: Public(Type.String()),
    room: Type.String(),
  });
  const ingress = Framework.http()
    .post(
      "/patients",
      Axon.start("admit", Patient).thenFn("keep", (patient) => patient),
    )
    .inspector({ enabled: true });
  const app = new TestApp(ingress);
  await app.start();
  const { app: inspector, token } = inspectorOf(ingress);
  const headers = { host: "localhost", authorization: `Bearer ${token}` };
  const { data } = (await inspector.get("/api/v1/schematics/admit", { headers })).json as any;
  await app.close();
  await inspector.close();

  const [{ node }] = data.classified;
  assert.deepEqual(
    data.classified.filter((field: any) => field.node === node && field.side === "input"),
    [
      { pointer: "/name", level: "confidential", category: null },
      { pointer: "/findings/*/text", level: "restricted", category: "health" },
      { pointer: "/ward", level: "public", category: null },
    ].map((field) => ({ node, side: "input", ...field })),
  );
});
