// What every executor does before an Axon that lets in whom a policy does.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { Type } from "@sinclair/typebox";

import type { AnyKey } from "#core/bus-key.js";
import { guard } from "#core/guard.js";
import { IamError } from "#core/iam-error.js";
import { IamIdentity, IamToken } from "#core/iam-identity.js";
import { IamPolicy } from "#core/iam-policy.js";
import type { IamVerifier, Verification } from "#core/iam-verifier.js";
import { VerifiedIdentity } from "#core/ingress-facts.js";
import { FailureLog, type LogWriter } from "#core/log.js";
import { branch, isFault, jump, pass } from "#core/outcome.js";
import { transition } from "#core/transition.js";
import { Axon } from "#runtime/axon.js";
import type { AnyAxon } from "#runtime/axon-types.js";
import { ExecutionMode } from "#runtime/execution-mode.js";
import { ManualClock } from "#runtime/manual-clock.js";
import { MemoryLocks } from "#runtime/memory-locks.js";
import { codeOf, errorOf, runner } from "../support/executor-runs.js";
import type { Executor, Ran } from "../support/executors.js";

const ada: IamIdentity = { subject: "ada", issuer: "i", roles: ["admin"], claims: { team: ["a", { b: 1 }] } };
const { requireIdentity, requireRole, none } = IamPolicy;

/** What comes of a run: the fault's kind, or who it was and whether it was answered at once. */
const cameOf = (ran: Ran): unknown =>
  isFault(ran.outcome)
    ? (ran.outcome.error as IamError).kind
    : (ran.bus[IamIdentity.name] as IamIdentity | undefined)?.subject;

export function iamContract(executor: Executor): void {
  const arranged = (token: string | null = "t") => {
    const clock = new ManualClock();
    const lines: { err?: unknown }[] = [];
    const log = { error: (fields: object) => void lines.push(fields) } as unknown as LogWriter;
    const constants = new Map<AnyKey, unknown>([[FailureLog, log]]);
    if (token !== null) constants.set(IamToken, token);
    const once = runner(executor);
    const run = (axon: AnyAxon, signal?: AbortSignal, input: unknown = 1): Promise<Ran> =>
      once(axon, input, signal, { supply: { constants, lazy: new Map() } });
    const seen: string[] = [];
    const guardedBy = (policy: IamPolicy, verify: unknown) => {
      const verifier = {
        verify: (...given: unknown[]) => (verify as (...g: unknown[]) => unknown)(...given),
      };
      return Axon.start<number>("a")
        .withIam(policy, verifier as IamVerifier, { clock, now: () => 1000 })
        .thenFn("step", (n) => {
          seen.push("step");
          return n;
        });
    };
    const countsOf = (axon: AnyAxon) => {
      const { counts } = axon.definition.iam?.boundary ?? assert.fail("no boundary");
      return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
    };
    return { clock, lines, run, seen, guardedBy, countsOf };
  };

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
      test(`logs nothing of a token that a verifier quotes ${where}`, async () => {
        for (const verify of [
          (token: string) => {
            throw quote(token);
          },
          (token: string) => Promise.reject(quote(token)),
          (token: string) => IamError.verifierUnavailable(`of ${token}`, quote(token)),
        ]) {
          const { run, guardedBy, lines } = arranged("s3cret");
          await run(guardedBy(requireIdentity(), verify));

          assert.equal(lines.length, 1);
          assert.doesNotMatch(inspect(lines, { depth: 20, showHidden: true }), /s3cret/);
        }
      });

    test("logs what a verifier throws as it is where the token is not in it", async () => {
      const { run, guardedBy, lines } = arranged("s3cret");
      const error = Object.assign(new Error("no", { cause: new Error("nor this") }), { code: "E" });
      error.cause = error;
      await run(guardedBy(requireIdentity(), () => Promise.reject(error)));

      assert.equal(lines[0]?.err, error);
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
