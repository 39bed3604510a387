import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, isFault, ProblemDetail } from "framework";
import { ErrorNode } from "framework/std";

test("ErrorNode ends every run with its error", () => {
  const error = new ProblemDetail({ status: 410, code: "GONE", title: "There is no more of it" });
  const axon = Axon.start<number>("end")
    .then(new ErrorNode(error))
    .thenFn("never", () => 1);

  for (const input of [1, 2]) {
    const outcome = axon.execute(input);
    assert.ok(isFault(outcome));
    assert.equal(outcome.error, error);
  }
});
