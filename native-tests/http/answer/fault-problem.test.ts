import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BusValueMissingError, ProblemDetail, Reply, respond } from "framework/core";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { faultAnswer } from "#http/answer/fault-problem.js";
import { assertSaid } from "../../support/said.js";

const problemAnswer = (error: unknown, production: boolean) => {
  const answer = faultAnswer(error, production);
  assert.ok(!(answer instanceof Reply));
  return answer;
};
const answered = (error: unknown, production = true) => {
  const { problem, report } = problemAnswer(error, production);
  return { status: problem.status, code: problem.code, detail: problem.detail, report: report?.code };
};
const hostile = (): never => {
  throw new Error("again");
};
const unmapped = { status: 500, code: "INTERNAL_ERROR", detail: undefined, report: "FAULT_UNMAPPED" };
const panic = (cause: unknown) => runtimeFault({ code: "TRANSITION_PANIC", step: "price", cause });

describe("what a fault answers", () => {
  test("is the problem that it is, or makes itself", () => {
    const problem = new ProblemDetail({ status: 409, code: "TAKEN", title: "Taken" });

    assert.deepEqual(answered(problem), { status: 409, code: "TAKEN", detail: undefined, report: undefined });
    assert.equal(answered({ kind: "taken", toProblemDetail: () => problem }).status, 409);
  });

  test("is 500, masked in production and reported, where it says no status", () => {
    for (const error of [
      { kind: "secret" },
      "secret",
      new Error("secret"),
      1n,
      undefined,
      Symbol("secret"),
      Object.assign(Object.create(null), { self: [1n] }),
      { toJSON: hostile, toString: hostile },
      Object.assign(new Error("secret"), { message: Object.create(null) }),
    ]) {
      assert.deepEqual(answered(error), unmapped);
    }
    assert.match(answered({ kind: "open" }, false).detail ?? "", /\{ kind: "open" \}/);
  });

  test("is the same where it throws when it is read", () => {
    for (const name of ["code", "toReply", "toProblemDetail"])
      assert.deepEqual(answered(Object.defineProperty({}, name, { get: hostile })), unmapped, name);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    assert.deepEqual(answered(proxy), unmapped);
  });

  test("is 500 where it throws while it makes its problem, or makes none", () => {
    const thrown = () => {
      throw new Error("secret");
    };
    const made = [
      thrown,
      () => ({ status: 200, code: "FINE", title: "secret" }),
      () => ({ status: "409 X\r\nset-cookie: a=b", code: "SPLIT", title: "secret" }),
      async () => new ProblemDetail({ status: 409, code: "LATER", title: "secret" }),
      () => undefined,
    ];
    for (const toProblemDetail of made) {
      assert.deepEqual(answered({ toProblemDetail }), {
        status: 500,
        code: "INTERNAL_ERROR",
        detail: undefined,
        report: "FAULT_UNMAPPED",
      });
    }
  });

  test("is 500 for what a step threw, with step, message and stack outside production alone", () => {
    const production = problemAnswer(panic(new Error("secret")), true);
    const development = problemAnswer(panic(new Error("seen")), false);

    assert.doesNotMatch(JSON.stringify(production.problem), /secret|stack|price/);
    assert.equal(production.report?.step, "price");
    assert.match(development.problem.detail ?? "", /Step 'price' threw: seen/);
    assert.ok(Array.isArray(development.problem.extensions?.["stack"]));
  });

  test("is 400 where a step needs a header or a cookie that the request does not have", () => {
    assert.deepEqual(answered(panic(new BusValueMissingError("header:x-tenant"))), {
      status: 400,
      code: "HEADER_MISSING",
      detail: "The request needs the header 'x-tenant'",
      report: undefined,
    });
    assert.equal(
      answered(panic(new BusValueMissingError("cookie:sid"))).detail,
      "The request needs the cookie 'sid'",
    );
    assert.equal(answered(panic(new BusValueMissingError("Plan"))).status, 500);
  });

  test("of the run's own faults is in the table of codes", () => {
    const errors = [{ pointer: "/a", keyword: "type", expected: "a string" }];

    assert.deepEqual(
      problemAnswer(runtimeFault({ code: "INPUT_INVALID", axon: "a", errors }), true).problem.errors,
      errors,
    );
    assert.equal(answered(runtimeFault({ code: "RUN_ABORTED", reason: "x" })).status, 503);
    assert.equal(answered(runtimeFault({ code: "STEP_TIMEOUT", step: "s", timeoutMs: 1 })).status, 504);
    const lock = { axon: "a", lockKey: "k" };
    assert.deepEqual(problemAnswer(runtimeFault({ code: "LOCK_TAKEN", ...lock }), true).report, undefined);
    assert.equal(answered(runtimeFault({ code: "LOCK_TAKEN", ...lock })).status, 409);
    assert.equal(answered(runtimeFault({ code: "LOCK_UNAVAILABLE", ...lock, cause: "x" })).status, 503);
    const runId = "r";
    for (const [status, fault] of [
      [503, runtimeFault({ code: "CHECKPOINT_FAILED", runId, cause: "x" })],
      [409, runtimeFault({ code: "RUN_TAKEN", runId })],
      [409, runtimeFault({ code: "RUN_ENDED", runId })],
      [409, runtimeFault({ code: "RUN_INCOMPATIBLE", runId, reason: "x" })],
      [409, runtimeFault({ code: "RUN_CANCELLED", runId, reason: "x" })],
      [409, runtimeFault({ code: "RUN_STUCK", runId, resumptions: 8 })],
      [404, runtimeFault({ code: "RUN_UNKNOWN", runId })],
    ] as const) {
      assert.equal(answered(fault).status, status);
      assert.equal(problemAnswer(fault, true).report, undefined);
    }
    for (const fault of [
      runtimeFault({ code: "VALUE_NOT_DURABLE", axon: "a", value: "input", reason: "a function" }),
      runtimeFault({ code: "JUMP_LIMIT", step: "s", maxJumps: 1 }),
      runtimeFault({ code: "RUN_LOG_FULL", runId, entries: 1, chars: 1 }),
      runtimeFault({ code: "BRANCH_UNKNOWN", step: "s", branch: "b", attached: ["c"] }),
      runtimeFault({ code: "TRANSITION_UNDECLARED", step: "s", outcome: "jump 'x'" }),
      runtimeFault({ code: "OUTPUT_INVALID", axon: "a", errors }),
    ]) {
      assert.deepEqual(answered(fault), {
        status: 500,
        code: "INTERNAL_ERROR",
        detail: undefined,
        report: fault.code,
      });
      const { message = "" } = problemAnswer(fault, true).report ?? {};
      assert.doesNotMatch(message, /[{}"]/, "no JSON");
      assert.match(message, /: .*(?:end|hand on|did you mean|add|Mend)/, "the remedy");
    }
  });

  test("names the branches that have an Axon, and the nearest", () => {
    const messageOf = (branch: string) =>
      problemAnswer(
        runtimeFault({ code: "BRANCH_UNKNOWN", step: "s", branch, attached: ["vip", "plain"] }),
        true,
      ).report?.message;

    assertSaid(["vipp", "other"].map(messageOf), [
      /^Step 's' took branch 'vipp', .* 'vip', 'plain': did you mean vip\?$/,
      /^Step 's' took branch 'other', .* 'vip', 'plain': call \.branch\('other', axon\) right after the step$/,
    ]);
  });

  test("is not taken for the run's own where an application uses the same code", () => {
    assert.equal(answered({ code: "INPUT_INVALID", errors: [] }).report, "FAULT_UNMAPPED");
  });

  test("is the reply that it makes itself, unless that is a success, or none", () => {
    const redirect = respond({ status: 308, headers: { location: "https://a.example/" } });

    assert.equal(faultAnswer({ toReply: () => redirect }, true), redirect);
    for (const toReply of [() => respond({ status: 200 }), () => "no", hostile])
      assert.deepEqual(answered({ toReply }), {
        status: 500,
        code: "INTERNAL_ERROR",
        detail: undefined,
        report: "FAULT_UNMAPPED",
      });
  });
});
