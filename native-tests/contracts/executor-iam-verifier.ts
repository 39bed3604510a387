// What every executor makes of a verifier's answer, and of none.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { IamError } from "#core/iam/iam-error.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { type IamVerifier, remembersBy, type Verification } from "#core/iam/iam-verifier.js";
import { Axon } from "#runtime/axon/axon.js";
import { ada, boundedRuns, cameOf, requireIdentity, requireRole } from "../support/bounded-runs.js";
import { codeOf, errorOf } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function iamVerifierContract(executor: Executor): void {
  const arranged = (token: string | null = "t") => boundedRuns(executor, token);

  describe(`executor: ${executor.name}: iam, the verifier`, () => {
    test("asks whom a verifier remembers, and verifies whom it does not", async () => {
      const { run, guardedBy, countsOf } = arranged();
      const known = guardedBy(
        requireIdentity(),
        () => assert.fail("verified"),
        (token) => (token === "t" ? ada : undefined),
      );
      assert.equal(cameOf(await run(known)), "ada");
      assert.deepEqual(countsOf(known), { verified: 1 });
      const unknown = guardedBy(
        requireIdentity(),
        () => ada,
        () => undefined,
      );
      assert.equal(cameOf(await run(unknown)), "ada");
    });

    for (const [how, known, kind] of [
      ["is over", { ...ada, expiresAt: 1000 }, "Expired"],
      ["is not enough", { ...ada, roles: ["guest"] }, "InsufficientRole"],
    ] as const)
      test(`lets nobody in whom a verifier remembers and who ${how}`, async () => {
        const { run, guardedBy, seen } = arranged();
        const ran = await run(
          guardedBy(
            requireRole("admin"),
            () => ada,
            () => known,
          ),
        );

        assert.equal(cameOf(ran), kind);
        assert.deepEqual(seen, []);
      });

    test("asks the function that has come to a verifier's place, whatever the other remembers", async () => {
      const { run } = arranged();
      const verifier = { verify: () => ada as unknown };
      remembersBy(verifier.verify as IamVerifier["verify"], () => ada);
      const axon = Axon.start<number>("a").withIam(requireIdentity(), verifier as IamVerifier);
      assert.equal(cameOf(await run(axon)), "ada");
      verifier.verify = () => IamError.invalidToken("revoked");

      assert.equal(cameOf(await run(axon)), "InvalidToken");
    });

    test("waits for a verifier that answers later", async () => {
      const { run, guardedBy, clock } = arranged();
      const ran = await run(guardedBy(requireIdentity(), async () => ada));

      assert.deepEqual([ran.outcome, ran.sync, cameOf(ran)], [1, false, "ada"]);
      assert.equal(clock.timers, 0);
    });

    test("waits for a thenable that is no promise", async () => {
      const { run, guardedBy } = arranged();
      const later = { then: (tell: (answer: unknown) => void) => tell(ada) };

      assert.equal(cameOf(await run(guardedBy(requireIdentity(), () => later))), "ada");
    });

    for (const [how, verify, kind, logged] of [
      ["throws", () => assert.fail("thrown"), "InvalidToken", true],
      ["rejects", () => Promise.reject(new Error("no")), "InvalidToken", true],
      ["answers nothing", () => undefined, "InvalidToken", true],
      ["answers nothing later", async () => undefined, "InvalidToken", true],
      ["answers true", () => true, "InvalidToken", true],
      ["answers an identity without a subject", () => ({ ...ada, subject: "" }), "InvalidToken", true],
      ["answers an identity without roles", () => ({ ...ada, roles: undefined }), "InvalidToken", true],
      ["answers roles that are a text", () => ({ ...ada, roles: "admin" }), "InvalidToken", true],
      ["answers a role that is no text", () => ({ ...ada, roles: [1] }), "InvalidToken", true],
      ["answers claims that are a list", () => ({ ...ada, claims: [] }), "InvalidToken", true],
      ["answers no claims", () => ({ ...ada, claims: null }), "InvalidToken", true],
      ["answers an issuer without a name", () => ({ ...ada, issuer: "" }), "InvalidToken", true],
      ["answers an end that is a text", () => ({ ...ada, expiresAt: "2000" }), "InvalidToken", true],
      ["answers an end that is no number", () => ({ ...ada, expiresAt: Number.NaN }), "InvalidToken", true],
      [
        "answers what throws when it is read",
        () => ({
          get subject() {
            throw new Error("no");
          },
        }),
        "InvalidToken",
        true,
      ],
      ["answers that the token is invalid", () => IamError.invalidToken("no"), "InvalidToken", false],
      ["answers that it has expired", async () => IamError.expired(), "Expired", false],
      [
        "answers that it is out of order",
        () => IamError.verifierUnavailable("down"),
        "VerifierUnavailable",
        true,
      ],
      ["answers an identity that is over", () => ({ ...ada, expiresAt: 1000 }), "Expired", false],
      ["answers one that is not enough", () => ({ ...ada, roles: ["guest"] }), "InsufficientRole", false],
    ] as const)
      test(`lets nobody in by a verifier that ${how}`, async () => {
        const { run, guardedBy, seen, lines, clock, countsOf } = arranged();
        const axon = guardedBy(requireRole("admin"), verify);
        const ran = await run(axon);

        assert.ok(errorOf(ran) instanceof IamError);
        assert.equal(cameOf(ran), kind);
        assert.deepEqual(seen, []);
        assert.equal(ran.bus[IamIdentity.name], undefined);
        assert.equal(lines.length, logged ? 1 : 0);
        assert.equal(clock.timers, 0);
        assert.equal(Object.values(countsOf(axon)).length, 1);
      });

    test("lets in who is good for one millisecond more", async () => {
      const { run, guardedBy } = arranged();

      assert.equal(
        cameOf(await run(guardedBy(requireIdentity(), () => ({ ...ada, expiresAt: 1001 })))),
        "ada",
      );
    });

    test("ends a verifier that hangs after 5 s, with its signal", async () => {
      const { run, guardedBy, clock, lines, seen } = arranged();
      const verifications: Verification[] = [];
      const running = run(
        guardedBy(requireIdentity(), (_: string, verification: Verification) => {
          verifications.push(verification);
          void verification.signal;
          return new Promise(() => {});
        }),
      );
      await clock.advance(4999);
      assert.equal(verifications[0]?.signal.aborted, false);
      await clock.advance(1);

      assert.equal(cameOf(await running), "VerifierUnavailable");
      assert.equal(verifications[0]?.signal.aborted, true);
      assert.equal(lines.length, 1);
      assert.deepEqual(seen, []);
    });

    test("takes nothing of an answer that comes too late", async () => {
      const { run, guardedBy, clock, seen, countsOf } = arranged();
      const axon = guardedBy(
        requireIdentity(),
        () => new Promise((resolve) => void clock.after(6000, () => resolve(ada))),
      );
      const running = run(axon);
      await clock.advance(6000);
      const ran = await running;

      assert.equal(cameOf(ran), "VerifierUnavailable");
      assert.equal(ran.bus[IamIdentity.name], undefined);
      assert.deepEqual([seen, countsOf(axon)], [[], { unavailable: 1 }]);
    });

    test("hands a verifier the abort of its run", async () => {
      const { run, guardedBy, seen } = arranged();
      const abort = new AbortController();
      let signal: AbortSignal | undefined;
      const running = run(
        guardedBy(requireIdentity(), (_: string, verification: Verification) => {
          ({ signal } = verification);
          return new Promise((_, reject) =>
            signal?.addEventListener("abort", () => reject(new Error("gone"))),
          );
        }),
        abort.signal,
      );
      abort.abort("enough");

      assert.equal(codeOf(await running), "RUN_ABORTED");
      assert.equal(signal?.aborted, true);
      assert.deepEqual(seen, []);
    });

    test("gives a signal that is over to who asks for it afterwards", async () => {
      const { run, guardedBy } = arranged();
      let kept: Verification | undefined;
      await run(
        guardedBy(requireIdentity(), (_: string, verification: Verification) => {
          kept = verification;
          return ada;
        }),
      );

      assert.equal(kept?.signal.aborted, true);
    });

    test("lets in as long after an identity's end as the verifier's clock may differ", async () => {
      const good = async (expiresAt: number): Promise<unknown> => {
        const { run } = arranged();
        const verifier = { clockSkewMs: 30, verify: () => ({ ...ada, expiresAt }) };
        const axon = Axon.start<number>("a").withIam(requireIdentity(), verifier, { now: () => 1000 });
        return cameOf(await run(axon.thenFn("step", (n) => n)));
      };

      assert.deepEqual([await good(970), await good(971)], ["Expired", "ada"]);
    });

    test("lets nobody in whose end a clock that is no number is to judge", async () => {
      const { run } = arranged();
      const verifier = { verify: () => ({ ...ada, expiresAt: 1 }) };
      const axon = Axon.start<number>("a").withIam(requireIdentity(), verifier, { now: () => Number.NaN });

      assert.equal(cameOf(await run(axon.thenFn("step", (n) => n))), "Expired");
    });
  });
}
