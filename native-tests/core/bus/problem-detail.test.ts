import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { FrameworkError, ProblemDetail, type ProblemFields } from "framework/core";

const problem = (fields: Partial<ProblemFields>) =>
  new ProblemDetail({ status: 409, code: "TAKEN", title: "Taken", ...fields });
const invalid = (error: unknown) => error instanceof FrameworkError && error.code === "PROBLEM_INVALID";

describe("ProblemDetail", () => {
  test("has the type about:blank unless it is given one", () => {
    assert.equal(problem({}).type, "about:blank");
    assert.equal(problem({ type: "https://example.org/taken" }).type, "https://example.org/taken");
  });

  test("refuses a status that is no error", () => {
    for (const status of [200, 304, 399, 600, 404.5, Number.NaN])
      assert.throws(() => problem({ status }), invalid);
    for (const status of [400, 599]) assert.equal(problem({ status }).status, status);
  });

  test("refuses extensions that would replace a member of the document", () => {
    for (const name of ["status", "code", "request_id", "instance"]) {
      assert.throws(() => problem({ extensions: { [name]: 1 } }), invalid);
    }
    assert.deepEqual(problem({ extensions: { left: 3 } }).extensions, { left: 3 });
  });
});
