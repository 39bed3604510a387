// Integers that a number of JavaScript cannot hold, where their text is at hand.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, form, header, path, query, Type } from "framework";
import { TestApp } from "framework/http";

const Id = Type.Object({ id: Type.Integer() });
const Ids = Type.Object({ ids: Type.Array(Type.Integer()) });
const Either = Type.Object({ id: Type.Union([Type.Integer(), Type.String()]) });

const app = new TestApp(
  Framework.http()
    .get(
      "/orders/:id",
      Axon.start("merged", Id).thenFn("show", (input) => input),
    )
    .get("/path/:id", Axon.start<{ id: number }>("path"), { input: path(Id) })
    .get("/query", Axon.start<{ ids: number[] }>("query"), { input: query(Ids) })
    .get("/either", Axon.start<{ id: number | string }>("either"), { input: query(Either) })
    .get("/header", Axon.start<{ id: number }>("header"), { input: header(Id) })
    .post("/form", Axon.start<{ at: { id: number } }>("form"), { input: form(Type.Object({ at: Id })) }),
);
const asked = {
  "a path and its query": (n: string) => app.get(`/orders/${n}`),
  "a path": (n: string) => app.get(`/path/${n}`),
  "a list in a query": (n: string) => app.get(`/query?ids=1&ids=${n}`),
  "a header": (n: string) => app.get("/header", { headers: { id: n } }),
  "a form": (n: string) =>
    app.post("/form", {
      body: `at[id]=${n}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
};

describe("an integer in text", () => {
  for (const [place, ask] of Object.entries(asked))
    test(`is refused beyond 2^53 - 1 in ${place}: it would be another one`, async () => {
      for (const n of ["9007199254740991", "-9007199254740991"]) {
        const { status, text } = await ask(n);
        assert.equal(status, 200, text);
        assert.ok(text.includes(n), text);
      }
      for (const n of ["9007199254740993", "9007199254740992", "-9007199254740992", "1e21", "9".repeat(40)]) {
        const { status, problem } = await ask(n);
        assert.deepEqual([status, problem.code], [422, "INPUT_INVALID"], n);
        assert.match(problem.errors?.[0]?.expected ?? "", /9007199254740991/);
      }
    });

  test("is read as a text beyond 2^53 - 1 where the schema takes one", async () => {
    assert.equal((await app.get("/either?id=12")).text, '{"id":12}');
    assert.equal((await app.get("/either?id=9007199254740993")).text, '{"id":"9007199254740993"}');
  });
});
