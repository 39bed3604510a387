import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { after, describe, test } from "node:test";

import { JwtKeys, JwtVerifier } from "framework/std";
import { CompactSign } from "jose";

import { askedServer, json } from "../../native-tests/support/jwks-server.js";
import { berths } from "./berths.js";
import { reservations } from "./by-identity.js";
import { harbourBook, loginTokens } from "./harbour.js";
import { service as keysService } from "./keys.js";
import { service as opaqueService } from "./opaque.js";
import { places } from "./places.js";
import { revoking } from "./revoking.js";

const ISSUER = "https://login.harbour.example";
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const pem = publicKey.export({ type: "spki", format: "pem" }) as string;
const minutes = (count: number): number => Math.floor(Date.now() / 1000) + 60 * count;

const signed = (claims: object, header: object = { alg: "EdDSA" }, key: KeyObject = privateKey) =>
  new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader(header as { alg: string })
    .sign(key);

const tokenOf = (sub: string, claims: object = {}): Promise<string> =>
  signed({ iss: ISSUER, aud: "harbour-book", sub, exp: minutes(5), ...claims });

/** What a client of the real server is answered: the status, and the body or the problem's code. */
async function serve(ingress: ReturnType<typeof harbourBook>) {
  const server = await ingress.bind("127.0.0.1:0").run();
  after(() => server.close());
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(`http://${server.address}${path}`, {
      method,
      headers: { ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  const ask = async (
    method: string,
    path: string,
    token?: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<readonly [number, unknown]> => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await send(method, path, { ...authorization, ...headers }, body);
    const text = await answer.text();
    const isText = answer.headers.get("content-type")?.startsWith("text/") ?? false;
    const value: unknown = isText ? text : JSON.parse(text);
    return [answer.status, answer.status < 400 ? value : (value as { code: string }).code];
  };
  return { send, ask };
}

describe("the harbour's book", async () => {
  const { ask, send } = await serve(harbourBook(loginTokens(pem)));
  const ann = await tokenOf("ann", { scope: "book:read book:write" });
  const bob = await tokenOf("bob", { roles: ["deputy"], shift: ["night"] });
  const eve = await tokenOf("eve", { roles: ["deputy"], shift: ["day"] });

  test("greets strangers, and by name whom it knows", async () => {
    assert.deepEqual(await ask("GET", "/"), [200, "Welcome, stranger"]);
    assert.deepEqual(await ask("GET", "/", `${ann}x`), [200, "Welcome, stranger"]);
    assert.deepEqual(await ask("GET", "/", ann), [200, "Welcome, ann"]);
  });

  test("is for whoever has what is asked", async () => {
    const entry = { text: "fog" };

    assert.deepEqual(await ask("POST", "/entries", bob, entry), [403, "CLAIMS_MISSING"]);
    assert.deepEqual(await ask("POST", "/entries", ann, entry), [200, 1]);
    assert.deepEqual(await ask("GET", "/entries", bob), [200, ["ann: fog"]]);
    assert.deepEqual(await ask("GET", "/archive", bob), [403, "ROLE_INSUFFICIENT"]);
    assert.deepEqual(await ask("DELETE", "/entries/last", eve), [403, "ROLE_INSUFFICIENT"]);
    assert.deepEqual(await ask("DELETE", "/entries/last", bob), [200, "ann: fog"]);
  });

  test("is for nobody with a token that is forged, another's, or over", async () => {
    const other = generateKeyPairSync("ed25519").privateKey;
    const claims = { iss: ISSUER, aud: "harbour-book", sub: "ann", exp: minutes(5) };

    assert.deepEqual(await ask("GET", "/entries"), [401, "TOKEN_MISSING"]);
    assert.deepEqual(await ask("GET", "/entries", await signed(claims, { alg: "EdDSA" }, other)), [
      401,
      "TOKEN_INVALID",
    ]);
    assert.deepEqual(await ask("GET", "/entries", await tokenOf("ann", { aud: "another" })), [
      401,
      "TOKEN_INVALID",
    ]);
    assert.deepEqual(await ask("GET", "/entries", await tokenOf("ann", { exp: minutes(-1) })), [
      401,
      "TOKEN_EXPIRED",
    ]);
  });

  test("says what a token would need", async () => {
    const { headers } = await send(
      "POST",
      "/entries",
      { authorization: `Bearer ${bob}` },
      { text: "a long day" },
    );

    assert.equal(
      headers.get("www-authenticate"),
      'Bearer realm="api", error="insufficient_scope", scope="book:write"',
    );
  });
});

describe("the berths", async () => {
  const clock = { hour: 12 };
  const { ask } = await serve(berths(loginTokens(pem), () => clock.hour));
  const ann = await tokenOf("ann");

  test("are left by those who have them, while the office is open", async () => {
    assert.deepEqual(await ask("POST", "/berths/B7/leave", ann), [200, "B7 is free"]);
    assert.deepEqual(await ask("POST", "/berths/B8/leave", ann), [403, "NOT_YOURS"]);
    assert.deepEqual(await ask("POST", "/berths/B7/leave", await tokenOf("bob")), [403, "NOT_YOURS"]);
    clock.hour = 20;
    assert.deepEqual(await ask("POST", "/berths/B7/leave"), [403, "OFFICE_CLOSED"]);
  });
});

test("the token is taken from where a route has it, and from nowhere else", async () => {
  const { ask } = await serve(places(loginTokens(pem)));
  const ann = await tokenOf("ann");
  const places_: Record<string, readonly [string, Record<string, string>]> = {
    bearer: ["/bearer", { authorization: `Bearer ${ann}` }],
    cookie: ["/cookie", { cookie: `access=${ann}` }],
    header: ["/header", { "x-access-token": ann }],
    ticket: [`/ticket?ticket=${ann}`, {}],
  };

  for (const [place, [path]] of Object.entries(places_))
    for (const [from, [, headers]] of Object.entries(places_)) {
      const isThere = place === from || place === "ticket";
      const came = await ask("GET", path, undefined, undefined, headers);
      assert.deepEqual(came, isThere ? [200, "ann"] : [401, "TOKEN_MISSING"], `${place}, sent in ${from}`);
    }
});

test("a service takes the keys that its issuer publishes, and names roles as the issuer does", async () => {
  const { publicKey: jwk, privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = await askedServer(json({ keys: [{ ...jwk.export({ format: "jwk" }), kid: "2026-11" }] }));
  const { ask } = await serve(keysService(issuer.base));
  const claims = {
    iss: issuer.base,
    aud: "https://api.harbour.example",
    sub: "ann",
    exp: minutes(5),
    realm_access: { roles: ["pilot"] },
  };
  const header = { alg: "ES256", kid: "2026-11", typ: "at+jwt" };

  assert.deepEqual(await ask("GET", "/me", await signed(claims, header, key)), [200, ["pilot"]]);
  assert.deepEqual(await ask("GET", "/me", await signed(claims, { ...header, typ: "JWT" }, key)), [
    401,
    "TOKEN_INVALID",
  ]);
  assert.equal(issuer.asked, 1);
});

test("a service that cannot load any key says so, and lets nobody in", async () => {
  const issuer = await askedServer((_, response) => response.writeHead(500).end());
  const { ask } = await serve(keysService(issuer.base));

  assert.deepEqual(await ask("GET", "/me", await signed({}, { alg: "ES256", typ: "at+jwt" }, ecKey())), [
    503,
    "VERIFIER_UNAVAILABLE",
  ]);
});

const ecKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

test("a token that says nothing is asked about, once while it is remembered", async () => {
  const about = { active: true, sub: "ann", token_type: "Bearer", scope: "read", iss: ISSUER };
  const server = await askedServer(json({ ...about, aud: "https://api.harbour.example" }));
  const { ask } = await serve(opaqueService(`${server.base}/introspect`, "a secret"));

  assert.deepEqual(await ask("GET", "/me", "tok-1"), [200, "ann"]);
  assert.deepEqual(await ask("GET", "/me", "tok-1"), [200, "ann"]);
  assert.equal(server.asked, 1);
  server.answer = json({ active: false });
  assert.deepEqual(await ask("GET", "/me", "tok-2"), [401, "TOKEN_INVALID"]);
  server.answer = (_, response) => response.writeHead(500).end();
  assert.deepEqual(await ask("GET", "/me", "tok-3"), [503, "VERIFIER_UNAVAILABLE"]);
});

describe("a token that was revoked", async () => {
  test("opens nothing from then on, and others do", async () => {
    const { ask } = await serve(revoking(loginTokens(pem)));
    const [first, second] = [await tokenOf("ann", { jti: "1" }), await tokenOf("ann", { jti: "2" })];
    assert.deepEqual(await ask("GET", "/me", first), [200, "ann"]);
    assert.deepEqual(await ask("POST", "/logout", first), [200, "Goodbye"]);

    assert.deepEqual(await ask("GET", "/me", first), [401, "TOKEN_INVALID"]);
    assert.deepEqual(await ask("GET", "/me", second), [200, "ann"]);
    assert.deepEqual(await ask("GET", "/me", await tokenOf("ann")), [403, "CLAIMS_MISSING"]);
  });

  test("does not come back for the time that clocks may differ", async () => {
    const clock = { ms: Date.now() };
    const now = (): number => clock.ms;
    const tokens = new JwtVerifier({
      algorithm: "EdDSA",
      keys: JwtKeys.pem(pem),
      issuer: ISSUER,
      audience: "harbour-book",
      clockSkewMs: 300_000,
      now: () => clock.ms - 299_000,
    });
    const { ask } = await serve(revoking(tokens, now));
    const [first, second] = [await tokenOf("ann", { jti: "1" }), await tokenOf("ann", { jti: "2" })];
    await ask("POST", "/logout", first);
    clock.ms += 301_000;
    await ask("POST", "/logout", second);

    assert.deepEqual(await ask("GET", "/me", first), [401, "TOKEN_INVALID"]);
  });
});

describe("reservations", async () => {
  const { ask } = await serve(reservations(loginTokens(pem)));

  test("are counted and answered once by who comes, wherever from", async () => {
    const [ann, bob] = [await tokenOf("ann"), await tokenOf("bob")];
    const reserve = (token: string) =>
      ask("POST", "/reservations", token, { berth: "B7" }, { "idempotency-key": '"k1"' });

    assert.deepEqual(await reserve(ann), [200, { number: 1, berth: "B7", by: "ann" }]);
    assert.deepEqual(await reserve(ann), [200, { number: 1, berth: "B7", by: "ann" }]);
    assert.deepEqual(await reserve(bob), [200, { number: 2, berth: "B7", by: "bob" }]);
    await reserve(ann);
    assert.deepEqual(await reserve(ann), [429, "RATE_LIMITED"]);
    assert.equal((await reserve(bob))[0], 200);
  });
});
