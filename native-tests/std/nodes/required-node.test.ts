import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isFault } from "framework";
import { type NodeFault, RequiredNode } from "framework/std";

interface Person {
  readonly name?: string | null;
  readonly mail?: string;
  readonly toString?: () => string;
}

const required = (...fields: (keyof Person)[]) =>
  Axon.start<Person>("person").then(new RequiredNode(...fields));
/** What is missing, as the caller is told. */
function missing(input: Person, ...fields: (keyof Person)[]) {
  const outcome = required(...fields).execute(input);
  assert.ok(isFault(outcome));
  const problem = (outcome.error as NodeFault<"FIELD_MISSING">).toProblemDetail();
  return [problem.status, problem.code, problem.errors?.map(({ pointer }) => pointer)];
}

describe("RequiredNode", () => {
  test("lets an object pass that has the fields, be they empty", () => {
    const person = { name: "", mail: "a@example.org" };

    assert.equal(required("name", "mail").execute(person), person);
  });

  test("names every field that is absent, null or undefined", () => {
    const absent = [422, "FIELD_MISSING", ["/name", "/mail"]];

    assert.deepEqual(missing({}, "name", "mail"), absent);
    assert.deepEqual(missing({ name: null }, "name", "mail"), absent);
    assert.deepEqual(missing({ name: undefined } as never, "name", "mail"), absent);
    assert.deepEqual(missing({ name: "Ada" }, "name", "mail"), [422, "FIELD_MISSING", ["/mail"]]);
  });

  test("does not take what is inherited for a field", () => {
    assert.deepEqual(missing({}, "toString"), [422, "FIELD_MISSING", ["/toString"]]);
  });

  test("finds fields missing in what is no object", () => {
    for (const input of [null, undefined, 7, "text"])
      assert.deepEqual(missing(input as never, "name"), [422, "FIELD_MISSING", ["/name"]]);
  });

  test("writes a pointer that can be followed", () => {
    const axon = Axon.start<{ "a/b~c"?: string }>("odd").then(new RequiredNode("a/b~c"));
    const outcome = axon.execute({});

    assert.ok(isFault(outcome));
    assert.equal((outcome.error as NodeFault<"FIELD_MISSING">).errors?.[0]?.pointer, "/a~1b~0c");
  });

  test("refuses to require nothing", () => {
    assert.throws(() => new RequiredNode(), { code: "CONFIG_INVALID", message: /name at least one field/ });
  });
});
