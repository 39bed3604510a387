import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  cookie,
  Framework,
  type FrameworkError,
  IamError,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  ProblemDetail,
} from "framework";
import { TestApp } from "framework/http";
import { AuthGuard } from "framework/std";
import { untyped } from "../../support/untyped.js";

const { requireIdentity, requireRole, allOf, anyOf, none } = IamPolicy;
const verifierOf = (description: string): IamVerifier => ({
  description,
  verify: (token) =>
    token === "bad"
      ? IamError.invalidToken("bad")
      : { subject: `${token} by ${description}`, roles: token.split("+"), claims: {} },
});
const names = verifierOf("names");
const who = Axon.start("who").thenFn("who", (_, bus) => bus.find(IamIdentity)?.subject ?? "nobody", {
  mayRead: [IamIdentity],
});
const members = who.withIam(requireRole("member"), names);
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const asked = async (app: TestApp<any>, path: string, token: string) => {
  const answer = await app.get(path, bearer(token));
  return answer.status === 200 ? answer.text : `${answer.status} ${answer.problem?.code}`;
};
const withIam = (...given: unknown[]) => (who.withIam as (...given: unknown[]) => unknown).apply(who, given);
const refusalOf = (make: () => unknown): FrameworkError => {
  try {
    make();
  } catch (error) {
    return error as FrameworkError;
  }
  return assert.fail("it was mounted");
};

describe("the option 'iam' of a route", () => {
  test("asks for more than the Axon does, of the Axon's own verifier", async () => {
    const policy = allOf(requireRole("member"), requireRole("treasurer"));
    const app = new TestApp(
      Framework.http().get("/members", members).get("/money", members, { iam: { policy } }),
    );

    assert.equal(await asked(app, "/members", "member"), "member by names");
    assert.equal(await asked(app, "/money", "member"), "403 ROLE_INSUFFICIENT");
    assert.equal(await asked(app, "/money", "member+treasurer"), "member+treasurer by names");
  });

  test("gives an Axon without a boundary one, and its steps the identity", async () => {
    const got = Axon.start("got").thenFn("got", (_, bus) => bus.get(IamIdentity).subject, {
      reads: [IamIdentity],
    });
    const app = new TestApp(
      Framework.http().get("/got", got, { iam: { policy: requireIdentity(), verifier: names } }),
    );

    assert.equal(await asked(app, "/got", "ada"), "ada by names");
    assert.equal(await asked(app, "/got", "bad"), "401 TOKEN_INVALID");
  });

  test("says where the token is, and leaves the rest to the Axon", async () => {
    const app = new TestApp(Framework.http().get("/", members, { iam: { token: cookie("access") } }));

    assert.equal((await app.get("/", { headers: { cookie: "access=member" } })).text, "member by names");
    assert.equal((await app.get("/", bearer("member"))).status, 401);
  });

  test("may not ask for less, and says what to do", () => {
    const { code, message } = refusalOf(() =>
      Framework.http().get("/", members, { iam: { policy: requireIdentity() } }),
    );

    assert.equal(code, "ROUTE_INVALID");
    assert.match(message, /^iam of GET \/: .*any identity.*role "member".*IamPolicy\.allOf.*weaken/);
  });

  test("may not ask somebody else", () => {
    const { code, message } = refusalOf(() =>
      Framework.http().get("/", members, { iam: { verifier: verifierOf("others") } }),
    );

    assert.deepEqual([code, /another verifier/.test(message)], ["ROUTE_INVALID", true]);
  });

  test("asks for less where it says why, which is drawn", async () => {
    const ingress = Framework.http()
      .get("/open", members, { iam: { policy: none(), weaken: "the open day" } })
      .get("/others", members, { iam: { verifier: verifierOf("others"), weaken: "a partner's members" } });
    const app = new TestApp(ingress);
    const [open, others] = ingress.routes();

    assert.equal(await asked(app, "/open", "bad"), "nobody");
    assert.equal(await asked(app, "/others", "member"), "member by others");
    assert.equal(open?.iam?.weakened, "the open day");
    assert.equal(others?.iam?.verifier, "others");
    const drawn = open?.schematic.nodes.find(({ kind }) => kind === "Iam");
    assert.deepEqual(drawn?.iam, {
      policy: "anybody",
      rule: { kind: "none", strict: false },
      verifier: "names",
      token: "IamToken",
      weakened: "the open day",
    });
  });

  for (const [what, iam, text] of [
    ["a reason for nothing", { policy: requireRole("member"), weaken: "why not" }, /take 'weaken' away/],
    ["an empty reason", { policy: none(), weaken: " " }, /the reason, a text/],
    ["a reason that is no text", { policy: none(), weaken: true }, /the reason, a text/],
  ] as const)
    test(`refuses ${what}`, () => {
      const { code, message } = refusalOf(() => Framework.http().get("/", members, { iam: iam as never }));

      assert.equal(code, "ROUTE_INVALID");
      assert.match(message, text);
    });

  for (const [what, iam, code] of [
    ["an option that it does not know", { policy: requireRole("member"), weakens: "x" }, "CONFIG_INVALID"],
    ["what is no policy", { policy: "admin" }, "CONFIG_INVALID"],
    ["what is no verifier", { verifier: {}, weaken: "x" }, "CONFIG_INVALID"],
    ["a token that is no key", { token: "x-token" }, "CONFIG_INVALID"],
    ["what is no object", "admin", "CONFIG_INVALID"],
  ] as const)
    test(`refuses ${what}`, () => {
      assert.equal(refusalOf(() => untyped(Framework.http()).get("/", members, { iam })).code, code);
    });

  test("that weakens to none() is not served where steps need an identity", () => {
    const got = Axon.start("got")
      .withIam(requireIdentity(), names)
      .thenFn("got", (_, bus) => bus.get(IamIdentity).subject, { reads: [IamIdentity] });
    const ingress = Framework.http().get("/", got, { iam: { policy: none(), weaken: "a demo" } });

    assert.equal(refusalOf(() => new TestApp(ingress)).code, "KEYS_UNPROVIDED");
  });

  test("needs a policy and a verifier where the Axon has none", () => {
    for (const iam of [{ policy: requireIdentity() }, { verifier: names }, {}]) {
      const { code, message } = refusalOf(() => Framework.http().get("/", who, { iam }));
      assert.deepEqual([code, /needs a policy and a verifier/.test(message)], ["ROUTE_INVALID", true]);
    }
  });

  test("tells the counts of its own, and of Axons that have theirs", async () => {
    const ingress = Framework.http()
      .get("/members", who.withIam(requireRole("member"), names))
      .get("/none", who);
    const app = new TestApp(ingress);
    for (const token of ["member", "member", "guest", "bad"]) await app.get("/members", bearer(token));
    await app.get("/members");
    const [{ iam } = assert.fail(), other] = ingress.routes();

    assert.deepEqual(
      { ...iam?.counts },
      { verified: 2, anonymous: 0, missing: 1, invalid: 1, expired: 0, refused: 1, unavailable: 0 },
    );
    assert.equal(other?.iam, undefined);
  });

  test("of an Axon without a boundary answers as guards do, past onFault; else it is the Axon's fault", async () => {
    const onFault = () => new ProblemDetail({ status: 418, code: "MAPPED", title: "Mapped" });
    const app = new TestApp(
      Framework.http()
        .get("/front", who, { iam: { policy: requireIdentity(), verifier: names }, onFault })
        .get("/own", members, {
          iam: { policy: allOf(requireRole("member"), requireRole("king")) },
          onFault,
        }),
    );

    assert.equal(await asked(app, "/front", "bad"), "401 TOKEN_INVALID");
    assert.equal(await asked(app, "/own", "bad"), "418 MAPPED");
  });

  test("stands in groups and before the fallback", async () => {
    const iam = { policy: anyOf(requireRole("a"), requireRole("b")), verifier: names };
    const app = new TestApp(
      Framework.http()
        .group("/g", { guards: [new AuthGuard(requireIdentity(), names)] }, (group) =>
          group.get("/who", who, { iam }),
        )
        .fallback(who, { iam }),
    );

    assert.equal(await asked(app, "/g/who", "c"), "403 ROLE_INSUFFICIENT");
    assert.equal(await asked(app, "/g/who", "b"), "b by names");
    assert.equal(await asked(app, "/nowhere", "c"), "403 ROLE_INSUFFICIENT");
    assert.equal((await app.get("/nowhere", bearer("a"))).status, 404);
  });
});

describe("withIam", () => {
  test("called twice says what to do", () => {
    const { code, message } = refusalOf(() => members.withIam(requireIdentity(), names));

    assert.equal(code, "CONFIG_INVALID");
    assert.match(message, /Axon 'who': withIam was called twice.*IamPolicy\.allOf/);
  });

  for (const [what, make] of [
    ["no policy", () => withIam({}, names)],
    ["no verifier", () => withIam(none(), () => undefined)],
    ["an unknown option", () => withIam(none(), names, { timeout: 5 })],
    ["a time-out of nothing", () => who.withIam(none(), names, { timeoutMs: 0 })],
    ["a time-out beyond a timer", () => who.withIam(none(), names, { timeoutMs: 2 ** 31 })],
  ] as const)
    test(`refuses ${what}`, () => {
      assert.equal(refusalOf(make).code, "CONFIG_INVALID");
    });
});

describe("identities of several issuers", () => {
  test("are different clients, whatever their names are", async () => {
    const pairs = [
      ["a", "b"],
      ["a:b", undefined],
      ["1:b:a", undefined],
      ["b", "a"],
      ["", "1:b:a"],
      ["a", undefined],
      ["a", "1:b"],
      ["b:a", "1"],
    ] as const;
    const seen = new Set<string>();
    for (const [subject, issuer] of pairs) {
      if (subject === "") continue;
      const identity = { subject, roles: [], claims: {}, ...(issuer !== undefined && { issuer }) };
      const { ClientIdentity } = await import("framework");
      const app = new TestApp(
        Framework.http().get(
          "/",
          Axon.start("c")
            .withIam(requireIdentity(), { verify: () => identity })
            .thenFn("c", (_, bus) => bus.get(ClientIdentity), { reads: [ClientIdentity] }),
        ),
      );
      seen.add((await app.get("/", bearer("x"))).text);
    }

    assert.equal(seen.size, pairs.length - 1);
    assert.ok(seen.has("id:a") && seen.has("id:1:b:a") && seen.has("id:0::1:b:a"), [...seen].join(" "));
  });
});
