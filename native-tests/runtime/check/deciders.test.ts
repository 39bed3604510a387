import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, branch, guard, IamPolicy, type IamVerifier, pass } from "framework";
import { decidersBefore } from "#runtime/check/deciders.js";

const verifier: IamVerifier = { verify: () => ({ subject: "a", roles: [], claims: {} }) as never };
const check = (name: string) => guard({ name, run: (input) => pass(input) });

test("guards behind the input, in subgraphs and branches too, are before the steps after them", () => {
  const inner = Axon.start<number>("inner")
    .withIam(IamPolicy.requireIdentity(), verifier)
    .thenFn("inside", (n) => n);
  const some = Axon.start<number>("some")
    .then(check("of-branch"))
    .thenFn("taken", (n) => n);
  const axon = Axon.start<number>("outer")
    .then(check("leading"))
    .thenFn("first", (n) => n)
    .subgraph(inner)
    .thenFn("choose", (n) => (n > 1 ? branch("some", n) : n), { branches: ["some"] })
    .branch("some", some)
    .thenFn("last", (n) => n);

  const before = decidersBefore(axon.definition, "outer");

  assert.deepEqual(Object.fromEntries(before), {
    "outer:in": [],
    "outer/leading": [],
    "outer/first": [],
    "outer/inner": [],
    "outer/inner:iam": [],
    "outer/inner:in": ["outer/inner:iam"],
    "outer/inner/inside": ["outer/inner:iam"],
    "outer/choose": ["iam"],
    "outer/choose:some:in": ["iam"],
    "outer/choose:some/of-branch": ["iam"],
    "outer/choose:some/taken": ["iam", "of-branch"],
    "outer/last": ["iam", "of-branch"],
  });
});
