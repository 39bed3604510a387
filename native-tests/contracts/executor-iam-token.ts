// What every executor does with a token before a verifier sees it, and keeps out of the log.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { IamError } from "#core/iam/iam-error.js";
import { ada, boundedRuns, cameOf, requireIdentity } from "../support/bounded-runs.js";
import { errorOf } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function iamTokenContract(executor: Executor): void {
  const arranged = (token: string | null = "t") => boundedRuns(executor, token);

  describe(`executor: ${executor.name}: iam, the token`, () => {
    for (const token of [null, ""])
      test(`lets nobody in with ${token === "" ? "an empty token" : "no token"}, and asks no verifier`, async () => {
        const { run, guardedBy, countsOf } = arranged(token);
        const axon = guardedBy(requireIdentity(), () => assert.fail("asked"));

        assert.equal(cameOf(await run(axon)), "MissingToken");
        assert.deepEqual(countsOf(axon), { missing: 1 });
      });

    for (const [what, token] of [
      ["a space in it", "a b"],
      ["a control character", "a\u0001"],
      ["a line break", "a\n"],
      ["a letter that is not ASCII", "ä"],
      ["8193 characters", "a".repeat(8193)],
    ] as const)
      test(`asks no verifier of a token with ${what}`, async () => {
        const { run, guardedBy, lines } = arranged(token);

        assert.equal(
          cameOf(await run(guardedBy(requireIdentity(), () => assert.fail("asked")))),
          "InvalidToken",
        );
        assert.deepEqual(lines, []);
      });

    test("asks the verifier of a token with 8192 characters", async () => {
      const { run, guardedBy } = arranged("~".repeat(8192));

      assert.equal(cameOf(await run(guardedBy(requireIdentity(), () => ada))), "ada");
    });

    test("logs what a verifier throws without the token", async () => {
      const { run, guardedBy, lines } = arranged("s3cret");
      const ran = await run(
        guardedBy(requireIdentity(), (token: string) => {
          throw new Error(`cannot parse ${token}`);
        }),
      );
      const { err } = lines[0] as { err: Error };

      assert.equal(err.message, "cannot parse [token]");
      assert.ok(!`${err.stack}`.includes("s3cret"));
      assert.ok(!JSON.stringify({ ...(errorOf(ran) as IamError) }).includes("s3cret"));
    });

    const quoting: readonly [string, (token: string) => unknown][] = [
      ["in what caused it", (token) => new Error("no", { cause: new Error(`cannot parse ${token}`) })],
      ["in a member", (token) => Object.assign(new Error("no"), { request: { headers: [token] } })],
      ["in one of several", (token) => new AggregateError([new Error(token)], "no")],
      ["in the name of a member", (token) => Object.assign(new Error("no"), { seen: { [token]: 1 } })],
      ["in a map", (token) => Object.assign(new Error("no"), { seen: new Map([[1, token]]) })],
      ["in no error", (token) => ({ token })],
      ["as a text", (token) => token],
    ];
    for (const [where, quote] of quoting)
      test(`tells nobody the token that a verifier quotes ${where}`, async () => {
        for (const verify of [
          (token: string) => {
            throw quote(token);
          },
          (token: string) => Promise.reject(quote(token)),
          (token: string) => IamError.verifierUnavailable(`of ${token}`, quote(token)),
        ]) {
          const { run, guardedBy, lines } = arranged("s3cret");
          const ran = await run(guardedBy(requireIdentity(), verify));

          assert.equal(lines.length, 1);
          for (const told of [lines, ran.outcome])
            assert.doesNotMatch(inspect(told, { depth: 20, showHidden: true }), /s3cret/);
        }
      });

    test("tells nobody the token for which a verifier says that it is invalid", async () => {
      const { run, guardedBy } = arranged("s3cret");
      const verify = (token: string) => IamError.invalidToken(`no ${token}`, new Error(token));
      const ran = await run(guardedBy(requireIdentity(), verify));

      assert.equal((errorOf(ran) as IamError).reason, "no [token]");
      assert.doesNotMatch(inspect(ran.outcome, { depth: 20, showHidden: true }), /s3cret/);
    });

    test("leaves the log as it is for a token that is too short to be secret", async () => {
      const { run, guardedBy, lines } = arranged("e");
      await run(guardedBy(requireIdentity(), () => undefined));
      const { err } = lines[0] as { err: Error };

      assert.match(err.message, /undefined: answer an IamIdentity or an IamError$/);
    });

    for (const [answer, said] of [
      [null, "null"],
      [true, "boolean"],
      [{ sub: "ada", roles: [], claims: {} }, "without a subject"],
      [{ subject: "ada" }, "roles"],
      [{ subject: "ada", roles: [] }, "claims"],
      [{ ...ada, issuer: 1 }, "issuer"],
      [{ ...ada, expiresAt: new Date(0) }, "expiresAt"],
    ] as const)
      test(`logs of an answer that is no identity what it lacks: ${said}`, async () => {
        const { run, guardedBy, lines } = arranged();
        await run(guardedBy(requireIdentity(), () => answer));
        const { err } = lines[0] as { err: Error };

        assert.ok(err.message.includes(said), err.message);
      });

    test("logs what a verifier throws as it is where the token is not in it", async () => {
      const { run, guardedBy, lines } = arranged("s3cret");
      const error = Object.assign(new Error("no", { cause: new Error("nor this") }), { code: "E" });
      error.cause = error;
      await run(guardedBy(requireIdentity(), () => Promise.reject(error)));

      assert.equal(lines[0]?.err, error);
    });
  });
}
