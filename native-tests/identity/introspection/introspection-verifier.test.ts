import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

import fc from "fast-check";
import { IamError, type IamIdentity, Secret } from "framework/core";
import { type IntrospectionOptions, IntrospectionVerifier } from "framework/std";

import { type Answer, askedServer, json, patient } from "../../support/jwks-server.js";
import { kindOf } from "../../support/tokens.js";

const NOW = 1_800_000_000_000;
const SECRET = "hunter2 & more";
const TOKEN = "token-of-alice";
const ALICE = {
  active: true,
  sub: "alice",
  iss: "https://issuer.example",
  aud: ["orders", "else"],
  exp: NOW / 1000 + 60,
  token_type: "Bearer",
  roles: ["admin"],
};

async function introspected(answer: Answer, options: Partial<IntrospectionOptions> = {}) {
  const server = await askedServer(answer);
  const verifier = new IntrospectionVerifier({
    url: `${server.base}/introspect?key=${SECRET}`,
    clientId: "orders:api",
    clientSecret: new Secret(SECRET),
    now: () => NOW,
    ...options,
  });
  const verify = async (token = TOKEN) => verifier.verify(token, patient);
  return { server, verifier, verify };
}

/** What becomes of one answer of the server. */
async function found(answer: unknown, options: Partial<IntrospectionOptions> = {}) {
  const { verify } = await introspected(json(answer), options);
  return verify();
}
const kind = async (answer: unknown, options: Partial<IntrospectionOptions> = {}) =>
  kindOf(await found(answer, options));

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  return text;
}

describe("an introspected token", () => {
  test("is whose the server says, until it says, with all that it says", async () => {
    const { active: _, ...said } = ALICE;

    assert.deepEqual(await found(ALICE, { issuer: ALICE.iss, audience: ["orders"] }), {
      subject: "alice",
      issuer: ALICE.iss,
      roles: ["admin"],
      claims: Object.assign(Object.create(null), said),
      expiresAt: NOW + 60_000,
    });
  });

  test("has no end and no issuer where the server says none", async () => {
    const { expiresAt, issuer, roles } = (await found({
      active: true,
      sub: "a",
      token_type: "bearer",
    })) as IamIdentity;

    assert.deepEqual([expiresAt, issuer, roles], [undefined, undefined, []]);
  });

  test("is asked about with the credentials, encoded as RFC 6749 says, and with its hint", async () => {
    const seen: { authorization: string | undefined; type: string | undefined; body: string }[] = [];
    const answer: Answer = async (request, response) => {
      const { authorization, "content-type": type } = request.headers;
      seen.push({ authorization, type, body: await textOf(request) });
      json(ALICE)(request, response);
    };
    const { verify } = await introspected(answer);
    await verify("a+b/c~d=");
    const post = await introspected(answer, { authentication: "client_secret_post" });
    await post.verify();

    const basic = Buffer.from("orders%3Aapi:hunter2+%26+more").toString("base64");
    assert.equal(seen[0]?.authorization, `Basic ${basic}`);
    assert.match(seen[0]?.type ?? "", /^application\/x-www-form-urlencoded/);
    assert.equal(seen[0]?.body, "token=a%2Bb%2Fc%7Ed%3D&token_type_hint=access_token");
    assert.equal(seen[1]?.authorization, undefined);
    assert.equal(
      seen[1]?.body,
      `token=${TOKEN}&token_type_hint=access_token&client_id=orders%3Aapi&client_secret=hunter2+%26+more`,
    );
  });

  test("is invalid where it is not active, for somebody else, or of use only with a proof", async () => {
    for (const [change, options] of [
      [{ active: false }, {}],
      [{ iss: "https://other.example" }, { issuer: ALICE.iss }],
      [{ iss: undefined }, { issuer: ALICE.iss }],
      [{ aud: "else" }, { audience: "orders" }],
      [{ aud: undefined }, { audience: "orders" }],
      [{ aud: [["orders"]] }, { audience: "orders" }],
      [{ sub: undefined }, {}],
      [{ sub: "" }, {}],
      [{ sub: undefined }, { subjectFrom: "client_id" }],
      [{ nbf: NOW / 1000 + 31 }, {}],
      [{ cnf: {} }, {}],
      [{ cnf: { jkt: "x" } }, {}],
      [{ token_type: "DPoP" }, {}],
      [{ token_type: undefined }, {}],
      [{ token_type: "Refresh" }, { requireTokenType: false }],
      [{ token_use: "refresh_token" }, {}],
      [{ roles: "admin" }, {}],
      [{ roles: [1] }, {}],
    ] as const)
      assert.equal(await kind({ ...ALICE, ...change }, options), "InvalidToken", JSON.stringify(change));
  });

  test("is good where what is not needed is missing or said otherwise", async () => {
    for (const [change, options, subject] of [
      [{ token_type: "bearer", token_use: "access_token" }, {}, "alice"],
      [{ token_type: undefined }, { requireTokenType: false }, "alice"],
      [{ sub: undefined, client_id: "robot" }, { subjectFrom: "client_id" }, "robot"],
      [{ client_id: "robot" }, { subjectFrom: "client_id" }, "alice"],
      [{ nbf: NOW / 1000 + 30 }, {}, "alice"],
    ] as const)
      assert.equal(await kind({ ...ALICE, ...change }, options), subject, JSON.stringify(change));
  });

  test("has expired at its end and what the clocks may differ, and not before", async () => {
    const at = (ms: number) => kind(ALICE, { now: () => NOW + ms });

    assert.equal(await at(89_999), "alice");
    assert.equal(await at(90_000), "Expired");
    assert.equal(await kind({ ...ALICE, sub: undefined }, { now: () => NOW + 90_000 }), "InvalidToken");
  });

  test("has the roles of the claim that is configured, and no inherited one", async () => {
    const nested = { ...ALICE, realm_access: { roles: ["boss"] } };
    const identity = (await found(nested, { rolesClaim: ["realm_access", "roles"] })) as IamIdentity;

    assert.deepEqual(identity.roles, ["boss"]);
    assert.equal(Object.getPrototypeOf(identity.claims), null);
    assert.deepEqual(((await found(ALICE, { rolesClaim: "constructor" })) as IamIdentity).roles, []);
  });

  test("is nobody's by any answer but the boolean true of its server", async () => {
    const { server, verify } = await introspected(json(ALICE));

    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (active) => {
        fc.pre(active !== true && active !== false);
        server.answer = json({ ...ALICE, active });

        assert.equal(kindOf(await verify()), "VerifierUnavailable");
      }),
      { numRuns: 60 },
    );
  });
});

describe("a token of a type that the server introspects none of", () => {
  test("is invalid, as the server says", async () => {
    const { verify } = await introspected((_, response) =>
      response.writeHead(400).end(JSON.stringify({ error: "unsupported_token_type" })),
    );

    assert.equal(kindOf(await verify()), "InvalidToken");
  });
});

describe("what is no token", () => {
  test("is invalid, and the server is not asked", async () => {
    const { server, verify } = await introspected(json(ALICE));

    for (const token of ["", "a b", "a\nb", "=", "a=b", "tökén", "\ud800", "a".repeat(8193), 7 as any])
      assert.equal(kindOf(await verify(token)), "InvalidToken");
    assert.equal(server.asked, 0);
    assert.equal(kindOf(await verify("a".repeat(8192))), "alice");
  });
});

// Short only where it is waited for: a busy machine takes its time.
const limitOf = (reason: RegExp): number => (reason.source.includes("200 ms") ? 200 : 10_000);

describe("a server that misbehaves when it is asked of a token", () => {
  const failures: readonly (readonly [string, Answer, RegExp])[] = [
    ["refuses", (_, response) => response.writeHead(500).end(JSON.stringify(ALICE)), /it answered 500$/],
    [
      "does not know us",
      (_, response) => response.writeHead(401).end(JSON.stringify({ active: false })),
      /401$/,
    ],
    [
      "finds our question wrong",
      (_, response) => response.writeHead(400).end(JSON.stringify({ ...ALICE, error: "invalid_request" })),
      /it answered 400$/,
    ],
    ["finds it wrong without a word", (_, response) => response.writeHead(400).end(), /not JSON$/],
    ["redirects", (_, response) => response.writeHead(308, { location: "/x" }).end(), /it answered 308$/],
    ["answers another success", (_, response) => response.writeHead(203).end(JSON.stringify(ALICE)), /203$/],
    ["answers nothing", (_, response) => response.end(), /not JSON$/],
    ["answers a page", (_, response) => response.end("<html>"), /not JSON$/],
    ["answers a list", json([ALICE]), /not a JSON object$/],
    ["answers an empty object", json({}), /without the boolean 'active'$/],
    ["says active twice", (_, response) => response.end('{"active":false,"active":true}'), /two members/],
    ["has an end that is no number", json({ ...ALICE, exp: "2099" }), /an exp that is no NumericDate$/],
    ["has an end beyond all time", (_, response) => response.end('{"active":true,"exp":1e999}'), /an exp/],
    ["has a subject that is no text", json({ ...ALICE, sub: 7 }), /a sub that is no text$/],
    [
      "has a type that is no text",
      json({ ...ALICE, token_type: ["Bearer"] }),
      /a token_type that is no text$/,
    ],
    ["answers too much", json({ ...ALICE, x: "x".repeat(2000) }), /larger than 1024 bytes$/],
    ["resets the connection", (request) => request.socket.resetAndDestroy(), /ECONNRESET|closed/],
    ["never answers", () => {}, /not done in 200 ms$/],
    ["never ends its answer", (_, response) => response.writeHead(200).write("{"), /not done in 200 ms$/],
  ];
  for (const [name, answer, reason] of failures) {
    test(`answers VerifierUnavailable to all who wait when it ${name}, and shows no secret`, async () => {
      const { server, verify, verifier } = await introspected(answer, {
        maxBytes: 1024,
        timeoutMs: limitOf(reason),
      });

      const answers = await Promise.all(Array.from({ length: 20 }, () => verify()));

      assert.equal(server.asked, 1);
      for (const error of answers) {
        assert.ok(error instanceof IamError && error.kind === "VerifierUnavailable", kindOf(error));
        assert.match(error.reason ?? "", reason);
      }
      const shown = inspect([answers[0], verifier], { depth: 10, showHidden: true, getters: true });
      for (const secret of [
        SECRET,
        "hunter2",
        TOKEN,
        Buffer.from("orders%3Aapi:").toString("base64").slice(0, 12),
      ])
        assert.ok(!(shown + verifier.description).includes(secret), shown);
      assert.ok(!JSON.stringify([answers[0], verifier]).includes("hunter2"));
      assert.equal(kindOf(await verify()), "VerifierUnavailable");
      assert.equal(server.asked, 2, "a failure is not remembered");
    });
  }

  test("is asked of so many tokens at once and no more, and of others when these are done", async () => {
    const held: (() => void)[] = [];
    const { server, verify } = await introspected(
      (request, response) => void held.push(() => json(ALICE)(request, response)),
      { maxInFlight: 4 },
    );
    const running = Array.from({ length: 4 }, (_, at) => verify(`t${at}`));
    const same = verify("t0");
    const beyond = await Promise.all(Array.from({ length: 100 }, (_, at) => verify(`beyond-${at}`)));

    assert.deepEqual([...new Set(beyond.map(kindOf))], ["VerifierUnavailable"]);
    while (held.length < 4) await sleep(1);
    for (const answer of held.splice(0)) answer();
    assert.deepEqual((await Promise.all([...running, same])).map(kindOf), Array(5).fill("alice"));
    assert.equal(server.asked, 4);
    server.answer = json(ALICE);
    assert.equal(kindOf(await verify("beyond-0")), "alice");
  });

  test("is asked on for the others when one of those who wait gives up", async () => {
    const { server, verifier, verify } = await introspected((request, response) => {
      setTimeout(() => json(ALICE)(request, response), 50);
    });
    const controller = new AbortController();
    const first = verifier.verify(TOKEN, { signal: controller.signal });
    const second = verify();
    controller.abort();

    assert.equal(kindOf(await first), "VerifierUnavailable");
    assert.equal(kindOf(await second), "alice");
    assert.equal(server.asked, 1);
  });

  test("is asked anew for each request that comes later", async () => {
    const { server, verify } = await introspected(json(ALICE));
    await verify();
    server.answer = json({ active: false });

    assert.equal(kindOf(await verify()), "InvalidToken");
    assert.equal(server.asked, 2);
  });
});

describe("IntrospectionVerifier", () => {
  const base = { url: "https://issuer.example/introspect", clientId: "orders", clientSecret: SECRET };
  const refused = (change: Record<string, unknown>): string => {
    try {
      new IntrospectionVerifier({ ...base, ...change } as never);
    } catch (error) {
      assert.equal((error as any).code, "CONFIG_INVALID");
      return (error as Error).message;
    }
    return assert.fail(`${Object.keys(change)} was taken`);
  };

  test("says what it is without the query of its URL", () => {
    const { description } = new IntrospectionVerifier({ ...base, url: `${base.url}?key=1` });

    assert.equal(description, "introspection by https://issuer.example/introspect");
  });

  test("refuses at once what it could not work with, and quotes no secret", () => {
    const wrong: readonly Record<string, unknown>[] = [
      { url: "http://issuer.example/introspect" },
      { url: "https://user:hunter2@issuer.example/" },
      { url: undefined },
      { clientId: "" },
      { clientId: undefined },
      { clientSecret: "" },
      { clientSecret: new Secret("") },
      { clientSecret: `${SECRET}\n` },
      { clientSecret: undefined },
      { authentication: "none" },
      { issuer: "" },
      { audience: [] },
      { audience: [""] },
      { subjectFrom: "username" },
      { requireTokenType: "yes" },
      { rolesClaim: "" },
      { clockSkewMs: -1 },
      { clockSkewMs: 300_001 },
      { timeoutMs: 0 },
      { maxBytes: 1 },
      { maxInFlight: 0 },
      { maxInFlight: Number.NaN },
      { now: 7 },
      { secret: "x" },
    ];
    for (const change of wrong) assert.doesNotMatch(refused(change), /hunter2/);
  });
});
