import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";
import { described, documentOf } from "framework/openapi";

type Json = any;

const axon: Json = Axon.start("a").thenFn("a", () => "");

/** Ids by route, of routes that are mounted in this order. */
function idsOf(...rows: readonly (string | readonly [string, object])[]): Readonly<Record<string, string>> {
  const ingress: Json = Framework.http();
  for (const row of rows) {
    const [path, options] = typeof row === "string" ? [row, {}] : row;
    ingress.get(path, axon, options);
  }
  const { operations } = described(ingress.routes());
  return Object.fromEntries(operations.map(({ path, id }) => [path, id]));
}

describe("the id of an operation", () => {
  test("is method and path", () => {
    assert.deepEqual(idsOf("/", "/orders/:id", "/order-lines"), {
      "/": "getRoot",
      "/orders/:id": "getOrdersById",
      "/order-lines": "getOrderLines",
    });
  });

  test("of two that would be equal is of its own path, whatever the order and the other one", () => {
    const one = idsOf("/a-b", "/a/b", "/c");
    const other = idsOf("/c", "/a/b", "/a-b");
    const third = idsOf("/a_b", "/a-b");

    assert.deepEqual({ ...other }, one);
    assert.match(one["/a-b"] as string, /^getAB_[0-9a-f]{8}$/);
    assert.notEqual(one["/a-b"], one["/a/b"]);
    assert.equal(third["/a-b"], one["/a-b"]);
    assert.equal(one["/c"], "getC");
  });

  test("is the route's own where it gives one, which no other takes", () => {
    const ids = idsOf(["/orders", { operationId: "listOrders" }], ["/x", { operationId: "getB" }], "/b");

    assert.deepEqual([ids["/orders"], ids["/x"]], ["listOrders", "getB"]);
    assert.match(ids["/b"] as string, /^getB_/);
  });

  test("is refused at mount where it is given twice, or is none", () => {
    const twice = () => idsOf(["/a", { operationId: "x" }], ["/b", { operationId: "x" }]);

    assert.throws(twice, { code: "ROUTE_INVALID", message: /^GET \/b has the operationId 'x' of GET \/a: / });
    for (const operationId of ["", "a b", "1a", 1])
      assert.throws(() => idsOf(["/a", { operationId }]), {
        code: "CONFIG_INVALID",
        message: /^operationId of GET \/a is /,
      });
    assert.throws(() => idsOf(["/a", { description: 1 }]), { message: "description of GET /a is a text" });
  });

  test("stands in the document with the description, of a WebSocket too", () => {
    const ingress = Framework.http()
      .get("/a", axon, { operationId: "first", description: "All of *it*." })
      .ws("/socket", { message: () => undefined, operationId: "talk", description: "Both ways" });
    const { paths }: Json = documentOf(described(ingress.routes()));

    const of = ({ operationId, description }: Json) => [operationId, description];
    assert.deepEqual(of(paths["/a"].get), ["first", "All of *it*."]);
    assert.deepEqual(of(paths["/socket"].get), ["talk", "Both ways"]);
  });
});
