import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { type FrameworkError, IamError, type IamIdentity, IamPolicy } from "framework";
import { type IamRule, isAtLeast } from "#core/iam/iam-rule.js";

const identity = (given: Partial<IamIdentity> = {}): IamIdentity => ({
  subject: "ada",
  roles: [],
  claims: {},
  ...given,
});

const names = fc.constantFrom("a", "b", "c");
const value = fc.constantFrom<string | number | boolean>("a", "b", 1, "1", true);
const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 1, maxLength: 3 });

const leaf: fc.Arbitrary<IamPolicy> = fc.oneof(
  fc.boolean().map((strict) => IamPolicy.none({ strict })),
  fc.constant(IamPolicy.requireIdentity()),
  names.map((role) => IamPolicy.requireRole(role)),
  list(names).map((claims) => IamPolicy.requireClaims(claims)),
  fc.tuple(names, list(value)).map(([name, values]) => IamPolicy.requireClaim(name, values)),
  list(names).map((scopes) => IamPolicy.requireScopes(scopes)),
);
const { policy } = fc.letrec<{ policy: IamPolicy }>((tie) => ({
  policy: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    list(tie("policy")).map((parts) => IamPolicy.anyOf(...parts)),
    list(tie("policy")).map((parts) => IamPolicy.allOf(...parts)),
  ),
}));

const claim = fc.oneof(value, fc.array(value, { maxLength: 2 }), fc.constant(null));
const caller: fc.Arbitrary<IamIdentity | "anonymous" | "bad token"> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom("anonymous" as const, "bad token" as const) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        roles: fc.subarray(["a", "b", "c"]),
        claims: fc.dictionary(names, claim, { maxKeys: 3 }),
        scope: fc.option(fc.subarray(["a", "b", "c"]), { nil: undefined }),
      })
      .map(({ roles, claims, scope }) =>
        identity({ roles, claims: scope === undefined ? claims : { ...claims, scope: scope.join(" ") } }),
      ),
  },
);

const admits = (by: IamPolicy, who: IamIdentity | "anonymous" | "bad token"): boolean =>
  who === "anonymous"
    ? !by.demandsIdentity
    : who === "bad token"
      ? by.forgivesBadTokens
      : by.decide(who) === undefined;

describe("IamPolicy", () => {
  test("that is at least another admits nobody whom the other does not", () => {
    let implied = 0;
    fc.assert(
      fc.property(policy, policy, caller, (a, b, who) => {
        if (!a.isAtLeast(b)) return true;
        implied += 1;
        return !admits(a, who) || admits(b, who);
      }),
      { numRuns: 5000 },
    );
    assert.ok(implied > 300, `some do imply another, not ${implied}`);
  });

  test("is at least itself, and what it is a part of", () => {
    fc.assert(
      fc.property(policy, policy, (a, b) => {
        assert.ok(a.isAtLeast(a));
        assert.ok(a.isAtLeast(IamPolicy.anyOf(b, a)));
        assert.ok(IamPolicy.allOf(b, a).isAtLeast(a));
        assert.ok(a.isAtLeast(IamPolicy.none()));
      }),
    );
  });

  test("anyOf admits whom one does, allOf whom all do", () => {
    fc.assert(
      fc.property(policy, policy, caller, (a, b, who) => {
        assert.equal(admits(IamPolicy.anyOf(a, b), who), admits(a, who) || admits(b, who));
        assert.equal(admits(IamPolicy.allOf(a, b), who), admits(a, who) && admits(b, who));
      }),
    );
  });

  test("decides of nobody what it says of those without a token", () => {
    fc.assert(fc.property(policy, (a) => (a.decide(undefined) === undefined) === !a.demandsIdentity));
  });

  test("describes itself, and two that differ differently", () => {
    const { requireClaim, requireScopes, anyOf, allOf, requireRole, requireClaims } = IamPolicy;

    assert.equal(IamPolicy.none().description, "anybody");
    assert.equal(
      anyOf(
        requireRole("admin"),
        allOf(requireClaims(["tenant", "plan"]), requireScopes(["read", "write"])),
        requireClaim("plan", ["pro", 2]),
      ).description,
      'role "admin" or (claims "tenant", "plan" and scopes "read", "write") or (claim "plan" with "pro" or 2)',
    );
    const withQuote = requireRole('a" or role "b');
    assert.notEqual(withQuote.description, anyOf(requireRole("a"), requireRole("b")).description);
  });

  for (const [a, b, is] of [
    [IamPolicy.requireClaim("plan", ["pro"]), IamPolicy.requireClaim("plan", ["pro", "team"]), true],
    [IamPolicy.requireClaim("plan", ["pro", "team"]), IamPolicy.requireClaim("plan", ["pro"]), false],
    [IamPolicy.requireClaim("plan", ["pro"]), IamPolicy.requireClaims(["plan"]), true],
    [IamPolicy.requireClaim("plan", ["1"]), IamPolicy.requireClaim("plan", [1]), false],
    [IamPolicy.requireScopes(["a", "b"]), IamPolicy.requireScopes(["b"]), true],
    [
      IamPolicy.allOf(IamPolicy.requireClaims(["a"]), IamPolicy.requireClaims(["b"])),
      IamPolicy.requireClaims(["b", "a"]),
      true,
    ],
    [IamPolicy.requireRole("admin"), IamPolicy.requireIdentity(), true],
    [IamPolicy.requireIdentity(), IamPolicy.requireRole("admin"), false],
    [IamPolicy.none(), IamPolicy.none({ strict: true }), false],
    [IamPolicy.none({ strict: true }), IamPolicy.none(), true],
    [IamPolicy.requireIdentity(), IamPolicy.none({ strict: true }), true],
  ] as const)
    test(`${a.description} is ${is ? "" : "not "}at least ${b.description}`, () => {
      assert.equal(a.isAtLeast(b), is);
    });

  test("does not see what it would have to multiply out", () => {
    const [x, y, z] = ["x", "y", "z"].map((role) => IamPolicy.requireRole(role)) as [
      IamPolicy,
      IamPolicy,
      IamPolicy,
    ];
    const a = IamPolicy.allOf(IamPolicy.anyOf(x, y), z);
    const b = IamPolicy.anyOf(IamPolicy.allOf(x, z), IamPolicy.allOf(y, z));

    assert.equal(a.isAtLeast(b), false);
    assert.equal(b.isAtLeast(a), true);
  });

  test("looks at own properties of claims alone", () => {
    const who = identity({ claims: Object.create({ plan: "pro" }) });

    assert.equal(IamPolicy.requireClaims(["plan"]).decide(who)?.kind, "MissingClaims");
    assert.equal(IamPolicy.requireClaims(["toString"]).decide(identity())?.kind, "MissingClaims");
    assert.equal(IamPolicy.requireClaim("plan", ["pro"]).decide(who)?.kind, "MissingClaims");
    assert.equal(IamPolicy.requireClaims(["plan"]).decide(identity({ claims: { plan: null } })), undefined);
  });

  test("takes a claim that is a list where it holds one of the values, and does not take a text for a number", () => {
    const asked = IamPolicy.requireClaim("groups", ["crew", 7]);

    assert.equal(asked.decide(identity({ claims: { groups: ["guest", "crew"] } })), undefined);
    assert.equal(asked.decide(identity({ claims: { groups: 7 } })), undefined);
    assert.equal(asked.decide(identity({ claims: { groups: "7" } }))?.kind, "MissingClaims");
    assert.equal(asked.decide(identity({ claims: { groups: "crewmate" } }))?.kind, "MissingClaims");
  });

  for (const [claims, good] of [
    [{ scope: "read write" }, true],
    [{ scope: "read  write" }, true],
    [{ scope: "read" }, false],
    [{ scope: "readwrite read" }, false],
    [{ scp: ["write", "read"] }, true],
    [{ scp: ["read"] }, false],
    [{ scope: "read", scp: ["write"] }, false],
    [{ scope: 5 }, false],
    [{}, false],
  ] as const)
    test(`finds the scopes read and write ${good ? "" : "not "}in ${JSON.stringify(claims)}`, () => {
      const error = IamPolicy.requireScopes(["read", "write"]).decide(identity({ claims: claims as never }));

      assert.equal(error === undefined, good);
      if (error !== undefined) assert.equal(error.scope, "read write");
    });

  test("tells a role that is missing from claims that are", () => {
    const admin = IamPolicy.requireRole("admin");
    const paying = IamPolicy.requireClaims(["plan"]);

    assert.equal(admin.decide(identity({ roles: ["administrator"] }))?.kind, "InsufficientRole");
    assert.equal(IamPolicy.anyOf(admin, paying).decide(identity())?.kind, "InsufficientRole");
    assert.equal(IamPolicy.allOf(paying, admin).decide(identity())?.kind, "MissingClaims");
    assert.ok(admin.decide(undefined) instanceof IamError);
    assert.equal(admin.decide(undefined)?.kind, "MissingToken");
  });

  test("says of several roads which one is missing: any, and the challenge of the first", () => {
    const [admin, reader] = [IamPolicy.requireRole("admin"), IamPolicy.requireScopes(["read"])];
    const either = IamPolicy.anyOf(reader, IamPolicy.allOf(admin, reader));
    const error = either.decide(identity());

    assert.deepEqual([error?.kind, error?.scope], ["MissingClaims", "read"]);
    assert.equal(error?.reason, `missing ${either.description}`);
    assert.equal(either.decide(identity()), error);
    assert.equal(either.decide(undefined)?.kind, "MissingToken");
  });

  test("is frozen, and keeps no list of its caller's", () => {
    const claims = ["plan"];
    const made = IamPolicy.requireClaims(claims);
    claims.push("tenant");

    assert.equal(made.description, 'claims "plan"');
    assert.ok(Object.isFrozen(made) && Object.isFrozen(made.rule));
    assert.ok(Object.isFrozen((made.rule as Extract<IamRule, { kind: "claims" }>).names));
  });

  for (const [what, make] of [
    ["a role without a name", () => IamPolicy.requireRole("")],
    ["a role that is no text", () => IamPolicy.requireRole(undefined as never)],
    ["no claims", () => IamPolicy.requireClaims([])],
    ["claims that are one text", () => IamPolicy.requireClaims("plan" as never)],
    ["no values", () => IamPolicy.requireClaim("plan", [])],
    ["a value that equals nothing", () => IamPolicy.requireClaim("plan", [Number.NaN])],
    ["no scopes", () => IamPolicy.requireScopes([])],
    ["a scope that would end its quotes", () => IamPolicy.requireScopes(['a", error="'])],
    ["two scopes in one", () => IamPolicy.requireScopes(["a b"])],
    ["anyOf nothing", () => IamPolicy.anyOf()],
    ["allOf what is no policy", () => IamPolicy.allOf({} as never)],
    ["a misspelt strictness", () => IamPolicy.none({ strikt: true } as never)],
    ["a strictness that is a text", () => IamPolicy.none({ strict: "yes" as never })],
  ] as const)
    test(`refuses ${what}`, () => {
      assert.throws(make, (error: unknown) => (error as FrameworkError).code === "CONFIG_INVALID");
    });

  test("compares rules as data", () => {
    const rule: IamRule = JSON.parse(JSON.stringify(IamPolicy.requireRole("a").rule));

    assert.equal(isAtLeast(rule, IamPolicy.requireRole("a").rule), true);
  });
});
