// Who is let in is decided by the head of a request: what a stranger can send in it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import {
  Axon,
  busKey,
  bytes,
  ClientIdentity,
  cookie,
  Framework,
  guard,
  header,
  IamError,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  layer,
  pass,
  type RunningServer,
} from "framework";
import { AuthGuard } from "framework/std";

import { stdoutLog } from "../support/stdout-log.js";
import { get, post, talk } from "../support/wire.js";

const asked: string[] = [];
const order: string[] = [];

/** "ada" is an admin, "bob" is not; "later-..." is the same, later. */
const verifier: IamVerifier = {
  description: "names",
  verify(token) {
    asked.push(token);
    order.push("verify");
    const [, later, name = ""] = /^(later-)?(.*)$/s.exec(token) ?? [];
    const answer = answerTo(name);
    return later === undefined ? answer : wait(20).then(() => answer);
  },
};

function answerTo(name: string): IamIdentity | IamError {
  if (name === "throws") throw new Error(`no ${name}`);
  if (name === "down") return IamError.verifierUnavailable("down");
  if (name === "old") return { subject: name, roles: [], claims: {}, expiresAt: 1 };
  if (name !== "ada" && name !== "bob") return IamError.invalidToken("unknown");
  return { subject: name, roles: name === "ada" ? ["admin"] : [], claims: { scope: "read" } };
}

const { requireIdentity, requireRole, requireScopes, none } = IamPolicy;

const who = Axon.start("who").thenFn("who", (_, bus) => bus.get(IamIdentity).subject, {
  reads: [IamIdentity],
});
const me = who.withIam(requireIdentity(), verifier);
const admin = Axon.start<Uint8Array>("admin")
  .withIam(requireRole("admin"), verifier)
  .thenFn("size", (body) => body.length);
const maybe = Axon.start("maybe")
  .withIam(none(), verifier)
  .thenFn("who", (_, bus) => bus.find(IamIdentity)?.subject ?? "nobody", { mayRead: [IamIdentity] });
const Custom = busKey<string>()("Custom");

const noted = (name: string) =>
  guard({
    name,
    run: (input) => {
      order.push(name);
      return pass(input);
    },
  });

describe("identity on the wire", () => {
  let server: RunningServer;
  let address: string;
  const { lines } = stdoutLog();
  before(async () => {
    const ingress = Framework.http({ processGuards: false })
      .gracefulShutdown(3000)
      .bind("127.0.0.1:0")
      .get("/me", me)
      .post("/admin", admin, { input: bytes() })
      .get("/maybe", maybe)
      .get(
        "/strict",
        Axon.start("strict")
          .withIam(none({ strict: true }), verifier)
          .thenFn("ok", () => "ok"),
      )
      .get("/scoped", Axon.start("scoped").withIam(requireScopes(["read", "write"]), verifier))
      .get("/header", who.withIam(requireIdentity(), verifier, { token: header("X-Token") }))
      .get("/cookie", who.withIam(requireIdentity(), verifier, { token: cookie("access") }))
      .get("/custom", who.withIam(requireIdentity(), verifier, { token: Custom }), {
        layers: [
          layer({
            name: "custom",
            reads: [header("x-custom")],
            writes: [Custom],
            run(bus, next) {
              bus.set(Custom, bus.get(header("x-custom")).slice(1));
              return next();
            },
          }),
        ],
      })
      .group("/group", { guards: [new AuthGuard(requireIdentity(), verifier)] }, (group) =>
        group
          .get("/who", who)
          .post(
            "/size",
            Axon.start<Uint8Array>("size").thenFn("size", (body) => body.length),
            {
              input: bytes(),
              guards: [new AuthGuard(requireRole("admin"), verifier)],
            },
          )
          .get(
            "/client",
            Axon.start("client").thenFn("client", (_, bus) => bus.get(ClientIdentity), {
              reads: [ClientIdentity],
            }),
          ),
      )
      .post(
        "/order",
        Axon.start<Uint8Array>("order")
          .withIam(requireRole("admin"), verifier)
          .then(noted("own guard"))
          .thenFn("step", () => order.push("step")),
        { input: bytes(), guards: [noted("route guard")] },
      )
      .get("/mapped", me, {
        onFault: (error) =>
          error instanceof IamError && error.kind === "MissingToken" ? error.toReply().body : undefined,
      })
      .fallback(who.withIam(requireIdentity(), verifier));
    server = await ingress.run();
    address = server.address;
  });
  after(() => server.close());

  const ask = async (request: string | readonly string[]) => {
    asked.length = 0;
    order.length = 0;
    const { replies, raw } = await talk(address, request, { until: 1, waitMs: 10_000 });
    const [reply] = replies;
    assert.ok(reply, `an answer, not ${raw}`);
    return reply;
  };
  const bearer = (token: string): string => `Authorization: Bearer ${token}`;

  for (const scheme of ["Bearer", "bearer", "BEARER"])
    test(`lets in who has a token behind ${scheme}`, async () => {
      for (const name of ["ada", "later-ada"]) {
        const { status, body } = await ask(get("/me", `Authorization: ${scheme} ${name}`));
        assert.deepEqual([status, body, asked], [200, "ada", [name]]);
      }
    });

  test("takes a token behind several spaces", async () => {
    assert.equal((await ask(get("/me", "authorization:   Bearer   bob  "))).body, "bob");
  });

  for (const [what, lines] of [
    ["no Authorization", []],
    ["an empty Authorization", ["Authorization: "]],
    ["a scheme without a token", ["Authorization: Bearer"]],
    ["a scheme with spaces alone", ["Authorization: Bearer    "]],
    ["another scheme", ["Authorization: Basic YWRhOmFkYQ=="]],
    ["a token without a scheme", ["Authorization: ada"]],
    ["a scheme that begins like it", ["Authorization: Bearers ada"]],
    ["a token in another header", ["X-Authorization: Bearer ada"]],
  ] as const)
    test(`asks for a token where there is ${what}`, async () => {
      const { status, headers, body } = await ask(get("/me", ...lines));

      assert.equal(status, 401);
      assert.equal(headers["www-authenticate"], 'Bearer realm="api"');
      assert.equal(headers["content-type"], "application/problem+json");
      assert.equal(JSON.parse(body).code, "TOKEN_MISSING");
      assert.deepEqual(asked, []);
    });

  for (const [what, token] of [
    ["more than 8 KB", "a".repeat(8193)],
    ["two tokens", "ada ada"],
    ["two in a list", "ada, ada"],
    // In the middle: what is not ASCII at the end of a field the engine takes off, as it does spaces.
    ["a letter that is not ASCII", "ad\u00e4a"],
    ["a tab", "a\tda"],
  ] as const)
    test(`asks no verifier of a token with ${what}`, async () => {
      const { status, headers, body } = await ask(get("/me", bearer(token)));

      assert.deepEqual([status, asked], [401, []]);
      assert.match(headers["www-authenticate"] ?? "", /error="invalid_token"/);
      assert.equal(JSON.parse(body).code, "TOKEN_INVALID");
    });

  test("lets no control character through to a verifier", async () => {
    for (const code of [0, 1, 7, 11, 31, 127]) {
      const { replies } = await talk(address, get("/me", bearer(`ada${String.fromCharCode(code)}`)), {
        until: 1,
        waitMs: 2000,
      });
      assert.ok([400, 401, undefined].includes(replies[0]?.status), `${code}: ${replies[0]?.status}`);
    }
    assert.ok(!asked.some((token) => token.startsWith("ada")));
  });

  test("refuses two lines of Authorization, whatever they say", async () => {
    for (const pair of [
      [bearer("ada"), bearer("ada")],
      [bearer("ada"), "Authorization: Basic x"],
    ]) {
      const { status, body } = await ask(get("/me", ...pair));
      assert.deepEqual([status, JSON.parse(body).code, asked], [400, "HEADER_REPEATED", []]);
    }
  });

  for (const [token, status, code] of [
    ["eve", 401, "TOKEN_INVALID"],
    ["old", 401, "TOKEN_EXPIRED"],
    ["throws", 401, "TOKEN_INVALID"],
    ["down", 503, "VERIFIER_UNAVAILABLE"],
    ["later-eve", 401, "TOKEN_INVALID"],
    ["later-down", 503, "VERIFIER_UNAVAILABLE"],
  ] as const)
    test(`answers ${status} to the token '${token}'`, async () => {
      const { headers, body, ...reply } = await ask(get("/me", bearer(token)));

      assert.deepEqual([reply.status, JSON.parse(body).code], [status, code]);
      assert.equal(headers["retry-after"], status === 503 ? "1" : undefined);
      assert.equal(headers["www-authenticate"] === undefined, status === 503);
    });

  test("logs what a verifier throws, with the id that the answer has", async () => {
    const { body } = await ask(get("/me", bearer("throws")));
    const line = lines().find((each) => JSON.stringify(each).includes(JSON.parse(body).request_id));

    assert.ok(line, JSON.stringify(lines()));
    assert.ok(!JSON.stringify(line).includes("throws"), JSON.stringify(line));
  });

  test("answers 403 where the identity is not enough, and says which scopes were", async () => {
    const forbidden = await ask(post("/admin", "", bearer("bob")));
    const scoped = await ask(get("/scoped", bearer("bob")));

    assert.deepEqual([forbidden.status, JSON.parse(forbidden.body).code], [403, "ROLE_INSUFFICIENT"]);
    assert.equal(scoped.status, 403);
    assert.equal(
      scoped.headers["www-authenticate"],
      'Bearer realm="api", error="insufficient_scope", scope="read write"',
    );
  });

  test("with none() lets in anybody, and with strict no bad token", async () => {
    assert.equal((await ask(get("/maybe", bearer("bob")))).body, "bob");
    assert.equal((await ask(get("/maybe", bearer("eve")))).body, "nobody");
    assert.equal((await ask(get("/maybe"))).body, "nobody");
    assert.equal((await ask(get("/strict"))).status, 200);
    assert.equal((await ask(get("/strict", bearer("eve")))).status, 401);
  });

  for (const [path, good, others] of [
    ["/header", "X-Token: ada", [bearer("ada"), "Cookie: access=ada"]],
    ["/cookie", "Cookie: a=b; access=ada", [bearer("ada"), "X-Token: ada", "Cookie: Access=ada"]],
    ["/custom", "X-Custom: _ada", ["X-Custom: _"]],
  ] as const)
    test(`takes the token of ${path} from there, and from nowhere else`, async () => {
      assert.equal((await ask(get(path, good))).body, "ada");
      for (const other of others) assert.equal((await ask(get(path, other))).status, 401, other);
    });

  test("asks no verifier of two lines of the header that is the token's place", async () => {
    assert.equal((await ask(get("/header", "X-Token: ada", "X-Token: ada"))).status, 401);
    assert.deepEqual(asked, []);
  });

  for (const path of ["/admin", "/group/size"])
    for (const token of ["eve", "later-eve", undefined])
      test(`of ${path} reads no body before it refuses ${token ?? "who has no token"}`, async () => {
        const lines = ["Content-Length: 1000000", ...(token === undefined ? [] : [bearer(token)])];

        assert.equal((await ask(post(path, "", ...lines))).status, 401);
      });

  for (const token of ["ada", "later-ada"])
    test(`reads the body of ${token} then`, async () => {
      for (const path of ["/admin", "/group/size"])
        assert.equal((await ask([post(path, "half", "Content-Length: 8", bearer(token)), "half"])).body, "8");
    });

  test("comes behind the guards of the route, before those of the Axon", async () => {
    await ask(post("/order", "x", "Content-Length: 1", bearer("ada")));
    assert.deepEqual(order, ["route guard", "verify", "own guard", "step"]);
    assert.equal((await ask(post("/order", "x", "Content-Length: 1", bearer("bob")))).status, 403);
    assert.deepEqual(order, ["route guard", "verify"]);
  });

  test("stands before a group, whose steps know who it is, and whom to count", async () => {
    assert.equal((await ask(get("/group/who", bearer("bob")))).body, "bob");
    assert.equal((await ask(get("/group/who"))).status, 401);
    assert.equal((await ask(get("/group/client", bearer("bob")))).body, "id:bob");
  });

  test("stands before the fallback", async () => {
    assert.equal((await ask(get("/nowhere"))).status, 401);
    assert.deepEqual(await ask(get("/nowhere", bearer("ada"))).then(({ status, body }) => [status, body]), [
      404,
      "ada",
    ]);
  });

  test("leaves it to a route what its refusals answer", async () => {
    const mapped = await ask(get("/mapped"));
    const others = await ask(get("/mapped", bearer("eve")));

    assert.equal(mapped.status, 401);
    assert.equal(mapped.headers["www-authenticate"], undefined);
    assert.match(others.headers["www-authenticate"] ?? "", /invalid_token/);
  });
});
