import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, guard, param, pass, type Report, Type } from "framework";
import type { AnyGuard } from "framework/core";
import { assertSaid } from "../../../support/said.js";
import { untyped, untypedApp } from "../../../support/untyped.js";

const Wanted = Type.Object({ doctor: Type.String(), day: Type.Optional(Type.String()) });
const show = Axon.start("show", Wanted);

const reportsOf = (
  method: "get" | "post",
  path: string,
  axon: typeof show,
  guards: readonly AnyGuard[] = [],
): readonly Report[] => {
  const reports: Report[] = [];
  const ingress = Framework.http({ reporter: (report) => reports.push(report) });
  untypedApp(untyped(ingress)[method](path, axon, { guards }));
  return reports;
};

describe("a parameter of a path", () => {
  test("is warned of where nothing reads it and the schema takes another name from the query", () => {
    const reports = reportsOf("get", "/doctors/:id", show);

    assertSaid(
      reports.map(({ code, axon, message }) => `${code} ${axon} ${message}`),
      [/^PATH_PARAMETER_UNREAD show GET \/doctors\/:id, Axon 'show': .*':id'; 'doctor' .* by param\(name\)$/],
    );
  });

  test("is not where the schema, a step or a guard reads it, or the rest of the schema may be absent", () => {
    const step = show.thenFn("s", { uses: { id: param("id") } }, (_, bus) => bus.id) as never;
    const known = guard({ name: "known", uses: { id: param("id") }, run: (input) => pass(input) });
    const filter = Axon.start("list", Type.Object({ page: Type.Optional(Type.Integer()) })) as never;

    assert.deepEqual(reportsOf("get", "/doctors/:doctor", show), []);
    assert.deepEqual(reportsOf("get", "/doctors/:id", step), []);
    assert.deepEqual(reportsOf("get", "/doctors/:id", show, [known]), []);
    assert.deepEqual(reportsOf("get", "/clinics/:name", filter), []);
    assert.deepEqual(reportsOf("get", "/doctors", show), []);
  });

  test("is not where the schema is of the body", () => {
    assert.deepEqual(reportsOf("post", "/doctors/:id", show), []);
  });
});
