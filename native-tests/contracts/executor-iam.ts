// What every executor does before an Axon that lets in whom a policy does.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type } from "@sinclair/typebox";
import { branch, jump, pass } from "#core/bus/outcome.js";
import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import { guard } from "#core/flow/guard.js";
import { transition } from "#core/flow/transition.js";
import { IamError } from "#core/iam/iam-error.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import { Axon } from "#runtime/axon/axon.js";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import { ada, boundedRuns, cameOf, none, requireIdentity, requireRole } from "../support/bounded-runs.js";
import type { Executor } from "../support/executors.js";

export function iamContract(executor: Executor): void {
  const arranged = (token: string | null = "t") => boundedRuns(executor, token);

  describe(`executor: ${executor.name}: iam`, () => {
    test("runs at once with a verifier that answers at once, which gets the token", async () => {
      const { run, guardedBy, countsOf } = arranged("secret");
      const tokens: string[] = [];
      const axon = guardedBy(requireRole("admin"), (token: string) => {
        tokens.push(token);
        return ada;
      });
      const ran = await run(axon);

      assert.deepEqual([ran.outcome, ran.sync, cameOf(ran)], [1, true, "ada"]);
      assert.deepEqual(tokens, ["secret"]);
      assert.equal(ran.bus[VerifiedIdentity.name], "1:i:ada");
      assert.deepEqual(countsOf(axon), { verified: 1 });
    });

    test("with none() lets in anybody, with an identity where the token is valid", async () => {
      const answers: [string | undefined, unknown][] = [
        ["t", ada],
        ["t", IamError.invalidToken("no")],
        ["t", IamError.verifierUnavailable("no")],
        ["t", undefined],
        ["a b", ada],
        [undefined, ada],
      ];
      const came = await Promise.all(
        answers.map(async ([token, answer]) => {
          const { run, guardedBy, countsOf } = arranged(token ?? "");
          const axon = guardedBy(none(), () => answer);
          const ran = await run(axon);
          assert.equal(ran.outcome, 1);
          return [cameOf(ran), ...Object.keys(countsOf(axon)).sort()];
        }),
      );

      assert.deepEqual(came, [
        ["ada", "verified"],
        [undefined, "anonymous", "invalid"],
        [undefined, "anonymous", "unavailable"],
        [undefined, "anonymous", "invalid"],
        [undefined, "anonymous", "invalid"],
        [undefined, "anonymous"],
      ]);
    });

    test("with none({ strict: true }) refuses a token that is not valid, and nobody without one", async () => {
      const strict = none({ strict: true });
      const invalid = arranged();
      const absent = arranged("");

      assert.equal(
        cameOf(await invalid.run(invalid.guardedBy(strict, () => IamError.invalidToken("no")))),
        "InvalidToken",
      );
      assert.equal((await absent.run(absent.guardedBy(strict, () => ada))).outcome, 1);
    });

    test("comes before the lock, the input's check and the Axon's own guards", async () => {
      const { run, clock, seen } = arranged();
      const locks = new MemoryLocks({ clock });
      const noted = {
        acquire: (key: string, ms: number) => {
          seen.push("lock");
          return locks.acquire(key, ms);
        },
        renew: locks.renew.bind(locks),
        release: locks.release.bind(locks),
      };
      const axon = (policy: IamPolicy) =>
        Axon.start("a", Type.Number())
          .withIam(policy, {
            verify: () => {
              seen.push("verify");
              return ada;
            },
          })
          .withExecutionMode(ExecutionMode.singleton("k", 300, noted))
          .then(
            guard({
              name: "own",
              run: (input) => {
                seen.push("guard");
                return pass(input);
              },
            }),
          )
          .thenFn("step", (n) => {
            seen.push("step");
            return n;
          });

      assert.equal(cameOf(await run(axon(requireRole("king")), undefined, "no number")), "InsufficientRole");
      assert.deepEqual(seen.splice(0), ["verify"]);
      assert.equal((await run(axon(requireRole("admin")))).outcome, 1);
      assert.deepEqual(seen, ["verify", "guard", "lock", "step"]);
    });

    test("verifies an Axon inside another, and the body of a branch, when its turn comes", async () => {
      const { run, guardedBy, seen } = arranged();
      const inner = guardedBy(requireRole("king"), () => {
        seen.push("verify");
        return ada;
      });
      const before = transition({
        name: "before",
        run: (n: number) => {
          seen.push("before");
          return n;
        },
      });
      const fork = transition({ name: "fork", branches: ["b"], run: (n: number) => branch("b", n) });
      const inLine = Axon.start<number>("outer").then(before).subgraph(inner);
      const tried = Axon.start<number>("outer").then(before).thenWithTimeout(inner.asTransition(), 1000);
      const branched = Axon.start<number>("outer").then(before).then(fork).branch("b", inner);

      for (const axon of [inLine, tried, branched]) {
        assert.equal(cameOf(await run(axon)), "InsufficientRole");
        assert.deepEqual(seen.splice(0), ["before", "verify"]);
      }
    });

    test("is not passed again by a jump to the first step", async () => {
      const { run, seen } = arranged();
      const axon = Axon.start<number>("a")
        .withIam(requireIdentity(), {
          verify: () => {
            seen.push("verify");
            return ada;
          },
        })
        .label("again")
        .thenFn("count", (n) => n + 1)
        .then(
          transition({
            name: "loop",
            jumps: ["again"],
            run: (n: number) => (n < 4 ? jump("again", n) : n),
          }),
        );

      assert.equal((await run(axon)).outcome, 4);
      assert.deepEqual(seen, ["verify"]);
    });

    test("shows steps an identity that they cannot change", async () => {
      const { run } = arranged();
      const kept = { ...ada, roles: ["admin"], claims: { team: ["a", { b: 1 }] } };
      const axon = Axon.start<number>("a")
        .withIam(requireIdentity(), { verify: () => kept })
        .thenFn(
          "change",
          (_, bus) => {
            const found = bus.get(IamIdentity) as typeof kept;
            for (const change of [
              () => found.roles.push("king"),
              () => Object.assign(found, { subject: "bob" }),
              () => Object.assign(found.claims.team[1] as object, { b: 2 }),
            ])
              assert.throws(change, TypeError);
            return found.roles;
          },
          { reads: [IamIdentity] },
        );

      for (let n = 0; n < 3; n += 1) assert.deepEqual((await run(axon)).outcome, ["admin"]);
    });
  });
}
