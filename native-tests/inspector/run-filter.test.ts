import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type EndedRun, isSelected, outcomeOf } from "#inspector/api/run-filter.js";

const ended = (
  status: EndedRun["status"],
  httpStatus: number | null,
  fault?: [string | null, number | null],
) => ({
  status,
  httpStatus,
  fault: fault === undefined ? null : { code: fault[0], status: fault[1] },
});

describe("the outcome of a run", () => {
  test("is a refusal where a fault was answered below 500, an error where it was not", () => {
    assert.equal(outcomeOf(ended("faulted", 403, ["DENIED", 403])), "refused");
    assert.equal(outcomeOf(ended("faulted", 500, ["STEP_PANIC", 500])), "error");
    assert.equal(outcomeOf(ended("completed", 500)), "completed");
  });

  test("is that of the response, not of the fault that a layer or a mapper changed", () => {
    assert.equal(outcomeOf(ended("faulted", 503, ["BUSY", 409])), "error");
    assert.equal(outcomeOf(ended("faulted", 404, [null, null])), "refused");
  });

  test("is that of the fault where no response was sent, and an error where the fault has no status", () => {
    assert.equal(outcomeOf(ended("faulted", null, ["DENIED", 403])), "refused");
    assert.equal(outcomeOf(ended("faulted", 0, ["DENIED", 403])), "refused");
    assert.equal(outcomeOf(ended("faulted", null, [null, null])), "error");
  });

  test("is an error where a run was given up with a 5xx, and aborted where the client disconnected", () => {
    assert.equal(outcomeOf(ended("aborted", 504)), "error");
    assert.equal(outcomeOf(ended("aborted", 0)), "aborted");
    assert.equal(outcomeOf(ended("aborted", null)), "aborted");
  });
});

describe("a filter of runs", () => {
  const refused = ended("faulted", 403, ["DENIED", 403]);

  test("selects by outcome, by a status or its class, and by the code of the fault, all at once", () => {
    assert.ok(isSelected({}, refused));
    assert.ok(isSelected({ outcome: "refused", http_status: "4xx", code: "DENIED" }, refused));
    assert.ok(isSelected({ http_status: "403" }, refused));
    for (const filter of [
      { outcome: "error" },
      { http_status: "5xx" },
      { http_status: "40" },
      { http_status: "404" },
      { code: "OTHER" },
      { outcome: "refused", code: "OTHER" },
    ] as const)
      assert.equal(isSelected(filter, refused), false, JSON.stringify(filter));
  });

  test("selects no run without a response by a status, and none without a fault by a code", () => {
    assert.equal(isSelected({ http_status: "4xx" }, ended("faulted", null, ["DENIED", 403])), false);
    assert.equal(isSelected({ code: "DENIED" }, ended("completed", 200)), false);
  });
});
