// The request and the response of a run: what is shown of them, to which role.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  ClientIp,
  combine,
  Framework,
  fault,
  form,
  header,
  IamPolicy,
  type IamVerifier,
  json,
  query,
  respond,
  Sensitive,
  Type,
} from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import type { Trace } from "#inspector/api/traces.js";

const OPERATOR = "operator-token-0123456789";
const VIEWER = "viewer-token-01234567890";
const PLANTED = "hunter2-planted";

const Order = Type.Object({
  sku: Type.String(),
  qty: Type.Integer(),
  phone: Type.Optional(Sensitive(Type.String())),
  address: Type.Optional(Type.Object({ street: Sensitive(Type.String()), city: Type.String() })),
});
const verifier: IamVerifier = {
  description: "names as tokens",
  verify: (token) => ({ subject: token, roles: ["clerk"], claims: {} }),
};
const orders = Axon.start("orders", Order).thenFn("sum", ({ qty }) => ({ cents: qty * 10, token: PLANTED }));
const agents = Axon.start("agents").thenFn(
  "say",
  (_, bus) => `${bus.find(header("user-agent"))} ${bus.find(ClientIp)}`.slice(0, 2),
  { reads: [header("user-agent"), header("x-forwarded-for"), header("authorization"), ClientIp] },
);
const streamed = Axon.start("streamed").thenFn("stream", () => new Blob(["abc"]).stream());
const mine = Axon.start("mine")
  .withIam(IamPolicy.requireRole("clerk"), verifier)
  .thenFn("read", () => "yours");
const found = Axon.start<{ q: string; token?: string }>("found").thenFn(
  "find",
  () =>
    respond({ status: 201, headers: { "set-cookie": `a=${PLANTED}`, "x-shown": "yes" }, body: { ok: true } }),
  { responses: [{ status: 201 }] },
);
const Named = Type.Object({ name: Type.String({ minLength: 3 }), pin: Sensitive(Type.String()) });
const named = Axon.start<{ name: string }>("named").thenFn("greet", ({ name }) => name);
const both = Axon.start<{ at: { n: number }; order: { sku: string } }>("both").thenFn("do", () => "done");

const fails = Axon.start("fails").thenFn("fail", (): string => {
  throw new Error(PLANTED);
});

const long = Axon.start("long").thenFn("refuse", () => fault("too long" as const));

type Capture = "off" | "hash" | "full";

/** Sends one request; returns its newest trace as a role is shown it. */
async function traced(
  capture: Capture,
  [method, path]: readonly ["GET" | "POST", string],
  sent: { body?: string; headers?: Readonly<Record<string, string>>; role?: string; trusts?: string } = {},
): Promise<Trace & { readonly exchange: NonNullable<Trace["exchange"]> }> {
  const trustedProxies = sent.trusts === undefined ? [] : [sent.trusts];
  const ingress = Framework.http({ trustedProxies, reporter: () => {} })
    .post("/orders", orders)
    .get("/agents", agents)
    .get("/mine", mine)
    .get("/fails", fails)
    .get("/long", long, { onFault: () => respond({ status: 409, body: { long: "x".repeat(6000) } }) })
    .get("/streamed", streamed)
    .get("/found", found, {
      input: query(Type.Object({ q: Type.String(), token: Type.Optional(Type.String()) })),
    })
    .post("/named", named, { input: form(Named) })
    .post("/both", both, {
      input: combine({
        at: query(Type.Object({ n: Type.Integer() })),
        order: json(Type.Object({ sku: Type.String() })),
      }),
    })
    .inspector({
      enabled: true,
      capturePayloads: capture,
      auth: BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER }),
    });
  await using app = new TestApp(ingress);
  await app.start();
  const headers = { "content-type": "application/json", ...sent.headers };
  if (method === "GET") await app.get(path, { headers: sent.headers ?? {} });
  else await app.post(path, { headers, body: sent.body ?? "" });
  await using inspector = inspectorOf(ingress).app;
  const ask = async (asked: string): Promise<any> => {
    const authorization = `Bearer ${sent.role ?? OPERATOR}`;
    const response = await inspector.get(asked, { headers: { host: "localhost", authorization } });
    return (response.json as { data: unknown }).data;
  };
  const { traces } = await ask("/api/v1/traces");
  return ask(`/api/v1/traces/${traces[0].run_id}`);
}

const order = (more: object = {}) => JSON.stringify({ sku: "tea", qty: 2, ...more });

describe("the request of a run", () => {
  test("has names alone without capture: of its query, its headers and its declared, unmarked members", async () => {
    const body = order({ phone: PLANTED, other: PLANTED });
    const { exchange } = await traced("off", ["POST", `/orders?ref=${PLANTED}&page=2`], { body });

    assert.deepEqual(exchange.query, { names: ["ref", "page"], values: { kind: "off" } });
    assert.deepEqual(exchange.body, {
      ...{ state: "read", content_type: "application/json", length: body.length, keys: ["sku", "qty"] },
      ...{ value: { kind: "off" }, unread: "" },
    });
    assert.deepEqual(exchange.response.body, { kind: "off" });
    assert.doesNotMatch(JSON.stringify(exchange), new RegExp(PLANTED));
  });

  test("has masked values with capture full", async () => {
    const body = order({ phone: PLANTED });
    const { exchange } = await traced("full", ["POST", `/orders?page=2&token=${PLANTED}`], { body });

    assert.deepEqual(exchange.query.values, {
      ...{ kind: "full", value: { page: "2", token: "[redacted]" }, is_cut: false },
    });
    assert.deepEqual(exchange.body.value, {
      ...{ kind: "full", value: { sku: "tea", qty: 2, phone: "[redacted]" }, is_cut: false },
    });
    assert.deepEqual(exchange.response.body, {
      ...{ kind: "full", value: { cents: 20, token: "[redacted]" }, is_cut: false },
    });
    assert.doesNotMatch(JSON.stringify(exchange), new RegExp(PLANTED));
  });

  test("has the body alone where its route combines parts", async () => {
    const { exchange } = await traced("full", ["POST", "/both?n=1"], { body: `{"sku":"tea"}` });

    assert.deepEqual(exchange.body.value, { kind: "full", value: { sku: "tea" }, is_cut: false });
    assert.deepEqual(exchange.body.keys, ["sku"]);
  });

  test("that was refused has its body as it parsed, and nothing that stands beside a marked place", async () => {
    const beside = { address: PLANTED, other: { street: PLANTED }, more: PLANTED };
    const { run, exchange } = await traced("full", ["POST", "/orders"], {
      body: order({ qty: "two", phone: [PLANTED], ...beside }),
    });

    assert.equal(run.fault?.code, "INPUT_INVALID");
    assert.equal(exchange.body.state, "refused");
    assert.deepEqual(exchange.body.value, {
      kind: "full",
      value: {
        ...{ sku: "tea", qty: "two", phone: "[redacted]", address: "[redacted]", other: "[redacted]" },
        more: "[redacted]",
      },
      is_cut: false,
    });
    assert.doesNotMatch(JSON.stringify(exchange), new RegExp(PLANTED));
  });

  test("that was refused shows a form as it parsed", async () => {
    const { exchange } = await traced("full", ["POST", "/named"], {
      body: `name=Al&pin=${PLANTED}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });

    assert.equal(exchange.body.state, "refused");
    assert.deepEqual("value" in exchange.body.value && exchange.body.value.value, {
      ...{ name: "Al", pin: "[redacted]" },
    });
  });

  test("with a malformed body has its length and the place, and no text of it", async () => {
    const body = `{"sku": "${PLANTED}", qty}`;
    const { exchange } = await traced("full", ["POST", "/orders"], { body });

    assert.deepEqual(exchange.body, {
      ...{ state: "malformed", content_type: "application/json", length: body.length, keys: [] },
      ...{ value: { kind: "off" }, unread: "It is malformed at position 27" },
    });
  });

  test("says what was not read", async () => {
    const type = await traced("full", ["POST", "/orders"], {
      ...{ body: "sku", headers: { "content-type": "text/plain" } },
    });
    const none = await traced("full", ["GET", "/mine"]);
    const proxied = await traced("full", ["GET", "/mine"], { trusts: "127.0.0.0/8" });

    assert.deepEqual([type.exchange.body.state, type.exchange.body.length], ["unread", 3]);
    assert.equal(type.exchange.body.unread, "The run ended before it was read");
    assert.equal(none.exchange.body.state, "none");
    assert.equal(none.exchange.headers.unread, "The route reads no other headers");
    assert.deepEqual(none.exchange.client.identity, { kind: "unread", why: "No step verified one" });
    assert.equal(proxied.exchange.client.address.kind, "unread");
  });

  test("never has Authorization, Cookie or Set-Cookie", async () => {
    const headers = { authorization: `Bearer ${PLANTED}`, cookie: `a=${PLANTED}`, "user-agent": "me" };
    const read = await traced("full", ["GET", "/agents"], { headers });
    const answered = await traced("full", ["GET", "/found?q=tea"], { headers });

    assert.deepEqual(read.exchange.headers.names, ["user-agent", "authorization"]);
    assert.deepEqual(read.exchange.headers.values, {
      ...{ kind: "full", value: { "user-agent": "me" }, is_cut: false },
    });
    const { names, values } = answered.exchange.response.headers;
    assert.ok(names.includes("set-cookie"));
    assert.equal("value" in values && (values.value as Record<string, unknown>)["x-shown"], "yes");
    for (const { exchange } of [read, answered])
      assert.doesNotMatch(JSON.stringify(exchange), new RegExp(PLANTED));
  });
});

test("a streamed response has its length alone", async () => {
  const { response } = (await traced("full", ["GET", "/streamed"])).exchange;

  assert.deepEqual(
    [response.body, response.length, response.unread],
    [{ kind: "off" }, 3, "It was streamed"],
  );
});

test("a response that needs more room than the last output and a problem is told by its length", async () => {
  const { response } = (await traced("full", ["GET", "/long"])).exchange;

  assert.deepEqual(
    [response.body, response.unread],
    [{ kind: "off" }, "It is larger than the Inspector stores"],
  );
  assert.ok(response.length > 6000);
});

test("the response to an error is for operators, since it may quote an exception", async () => {
  const ofOperator = (await traced("full", ["GET", "/fails"], { role: OPERATOR })).exchange.response;
  const ofViewer = (await traced("full", ["GET", "/fails"], { role: VIEWER })).exchange.response;

  assert.match(JSON.stringify(ofOperator.body), new RegExp(PLANTED));
  assert.deepEqual([ofViewer.body, ofViewer.unread], [{ kind: "off" }, "It is for operators"]);
});

describe("the client of a run", () => {
  const headers = { authorization: "Bearer ann" };

  test("is shown to operators by its address and its identity", async () => {
    const { client } = (await traced("off", ["GET", "/mine"], { headers })).exchange;

    assert.deepEqual(client.address, { kind: "read", text: "127.0.0.1" });
    assert.deepEqual(client.identity, { kind: "read", text: "ann" });
  });

  test("is a pseudonym for viewers, the same in each run", async () => {
    const shown = [
      await traced("full", ["GET", "/mine"], { headers, role: VIEWER }),
      await traced("full", ["GET", "/mine"], { headers, role: VIEWER }),
      await traced("full", ["GET", "/mine"], { headers: { authorization: "Bearer bob" }, role: VIEWER }),
    ];
    const clients = shown.map(({ exchange }) => exchange.client);

    assert.deepEqual(clients[0]?.address, { kind: "withheld" });
    assert.deepEqual(clients[0]?.identity, { kind: "withheld" });
    assert.deepEqual(clients[0]?.pseudonym, clients[1]?.pseudonym);
    assert.notDeepEqual(clients[0]?.pseudonym, clients[2]?.pseudonym);
    const read = await traced("full", ["GET", "/agents"], {
      ...{ headers: { ...headers, "x-forwarded-for": "192.0.2.9" }, role: VIEWER, trusts: "127.0.0.0/8" },
    });
    assert.deepEqual(read.bus.find(({ key }) => key === "ClientIp")?.value, {
      ...{ kind: "full", value: "[for operators]", is_cut: false },
    });
    assert.deepEqual(read.exchange.headers.names, ["x-forwarded-for", "authorization"]);
    assert.doesNotMatch(JSON.stringify(read), /192\.0\.2\.9/);
    for (const trace of shown) assert.doesNotMatch(JSON.stringify(trace), /"ann"|"bob"|127\.0\.0\.1/);
  });
});
