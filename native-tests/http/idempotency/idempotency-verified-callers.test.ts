import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, IamIdentity, IamPolicy, type IamVerifier } from "framework";
import { TestApp } from "framework/http";
import { AuthGuard, IdempotencyGuard } from "framework/std";
import { KEY } from "../../support/idempotent-route.js";

describe("idempotency keys of callers that are verified behind the guard", () => {
  /** Tokens of one subject differ behind the dot. */
  const verifier: IamVerifier = {
    verify: (token) => ({ subject: token.split(".")[0] as string, roles: [], claims: {} }),
  };
  const ran: string[] = [];
  const pay = Axon.start("pay").thenFn(
    "charge",
    (_, bus) => {
      const who = bus.find(IamIdentity)?.subject ?? "nobody";
      ran.push(who);
      return who;
    },
    { mayRead: [IamIdentity] },
  );
  const keyed = () => [new IdempotencyGuard()];

  for (const [where, ingress] of [
    [
      "by its Axon",
      Framework.http().post("/pay", pay.withIam(IamPolicy.none(), verifier), { guards: keyed() }),
    ],
    [
      "by the route",
      Framework.http().post("/pay", pay, { guards: keyed(), iam: { policy: IamPolicy.none(), verifier } }),
    ],
    [
      "by a guard",
      Framework.http().post("/pay", pay, {
        guards: [...keyed(), new AuthGuard(IamPolicy.none(), verifier)],
      }),
    ],
  ] as const)
    test(`are each one's own where it is verified ${where}`, async () => {
      ran.length = 0;
      const app = new TestApp(ingress);
      const answers: string[] = [];
      for (const token of ["ann.1", "bob.1", undefined, "ann.2", "bob.2", undefined]) {
        const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
        answers.push((await app.post("/pay", { headers: { ...KEY, ...authorization } })).text);
      }

      assert.deepEqual(answers, ["ann", "bob", "nobody", "ann", "bob", "nobody"]);
      assert.deepEqual(ran, ["ann", "bob", "nobody"]);
    });
});
