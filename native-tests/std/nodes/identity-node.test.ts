import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon } from "framework";
import { IdentityNode } from "framework/std";

test("IdentityNode answers its input itself, at once", () => {
  const input = { a: 1 };

  assert.equal(Axon.start<object>("same").then(new IdentityNode()).execute(input), input);
});
