// Against oidc-provider: what it signs, what it says of tokens, and its keys changing under load.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { IamError, type IamIdentity, Secret } from "framework/core";
import {
  cached,
  type IntrospectionOptions,
  IntrospectionVerifier,
  JwtKeys,
  JwtVerifier,
  type JwtVerifierOptions,
} from "framework/std";

import {
  type AuthorizationServer,
  authorizationServer,
  CLIENT,
  JWT_RESOURCE,
  OPAQUE_RESOURCE,
  POST_CLIENT,
} from "../support/authorization-server.js";
import { needsCodeGeneration } from "../support/code-generation.js";
import { ecKey, HandClock, patient } from "../support/jwks-server.js";

const jwtVerifier = (server: AuthorizationServer, options: Partial<JwtVerifierOptions> = {}) =>
  new JwtVerifier({
    algorithm: "ES256",
    keys: JwtKeys.url(`${server.issuer}/jwks`),
    issuer: server.issuer,
    audience: JWT_RESOURCE,
    requiredType: "at+jwt",
    ...options,
  });
const introspection = (server: AuthorizationServer, options: Partial<IntrospectionOptions> = {}) =>
  new IntrospectionVerifier({
    url: `${server.issuer}/token/introspection`,
    ...CLIENT,
    issuer: server.issuer,
    audience: OPAQUE_RESOURCE,
    subjectFrom: "client_id",
    ...options,
  });
const identity = (answer: IamIdentity | IamError): IamIdentity => {
  assert.ok(!(answer instanceof IamError), (answer as IamError).reason);
  return answer;
};
const refusal = (answer: IamIdentity | IamError) =>
  answer instanceof IamError ? answer.kind : "an identity";

describe("access tokens of a real authorisation server", { skip: needsCodeGeneration }, () => {
  test("that are JWTs are verified by the keys at its URL, loaded once", async () => {
    const server = await authorizationServer([ecKey("k1")]);
    const verifier = jwtVerifier(server);
    const tokens = await Promise.all(Array.from({ length: 5 }, () => server.token(JWT_RESOURCE)));

    const all = await Promise.all(tokens.flatMap((token) => Array(20).fill(verifier.verify(token, patient))));

    for (const answer of all) {
      const { subject, issuer, claims, expiresAt } = identity(answer);
      assert.deepEqual([subject, issuer, claims["scope"]], [CLIENT.clientId, server.issuer, "read"]);
      assert.equal(expiresAt, (claims["exp"] as number) * 1000);
    }
    assert.equal(server.keysAsked, 1);
  });

  test("that are JWTs for somebody else, or altered, are invalid", async () => {
    const server = await authorizationServer([ecKey("k1")]);
    const token = await server.token(JWT_RESOURCE);
    const [head, , signature] = token.split(".");
    const claims = Buffer.from(
      JSON.stringify({ iss: server.issuer, aud: JWT_RESOURCE, sub: "root", exp: 9e9 }),
    );

    const elsewhere = jwtVerifier(server, { audience: "https://else.example" });
    assert.equal(refusal(await elsewhere.verify(token, patient)), "InvalidToken");
    const forged = `${head}.${claims.toString("base64url")}.${signature}`;
    assert.equal(refusal(await jwtVerifier(server).verify(forged, patient)), "InvalidToken");
  });

  test("that are opaque are introspected, by both ways to say who asks", async () => {
    const server = await authorizationServer([ecKey("k1")]);
    const token = await server.token(OPAQUE_RESOURCE);
    const post = { ...POST_CLIENT, authentication: "client_secret_post" } as const;

    for (const verifier of [
      introspection(server),
      introspection(server, { clientSecret: new Secret(CLIENT.clientSecret) }),
      introspection(server, post),
    ]) {
      const found = identity(await verifier.verify(token, patient));
      assert.equal(found.subject, CLIENT.clientId);
      assert.equal(found.issuer, server.issuer);
      assert.equal(found.expiresAt, (found.claims["exp"] as number) * 1000);
      assert.ok(!("active" in found.claims));
    }
  });

  test("that are a client's own have no subject, unless that is allowed", async () => {
    const server = await authorizationServer([ecKey("k1")]);
    const token = await server.token(OPAQUE_RESOURCE);

    const verifier = introspection(server, { subjectFrom: "sub" });
    assert.equal(refusal(await verifier.verify(token, patient)), "InvalidToken");
  });

  test("that are a user's have the user's name and roles; the refresh token beside is no access token", async () => {
    const server = await authorizationServer([ecKey("k1")]);
    const { access, refresh } = await server.userTokens("alice");
    const untyped = introspection(server, { requireTokenType: false });

    const found = identity(await introspection(server).verify(access, patient));
    assert.deepEqual([found.subject, found.roles], ["alice", ["admin"]]);
    const anyAudience = { url: `${server.issuer}/token/introspection`, ...CLIENT };
    const lenient = new IntrospectionVerifier({ ...anyAudience, requireTokenType: false });
    assert.equal(
      identity(await lenient.verify(refresh, patient)).subject,
      "alice",
      "the server calls it active",
    );
    assert.equal(
      refusal(await new IntrospectionVerifier(anyAudience).verify(refresh, patient)),
      "InvalidToken",
    );
    assert.equal(identity(await untyped.verify(access, patient)).subject, "alice");
  });

  test("that were revoked are invalid from then on, where nobody remembers them", async () => {
    const server = await authorizationServer([ecKey("k1")]);
    const token = await server.token(OPAQUE_RESOURCE);
    const verifier = introspection(server);
    const remembering = cached(introspection(server));
    identity(await verifier.verify(token, patient));
    identity(await remembering.verify(token, patient));
    await server.revoke(token);

    assert.equal(refusal(await verifier.verify(token, patient)), "InvalidToken");
    identity(await remembering.verify(token, patient));
    remembering.forget(token);
    assert.equal(refusal(await remembering.verify(token, patient)), "InvalidToken");
  });

  test("are not verified with wrong credentials, and nobody's token is called invalid for it", async () => {
    const server = await authorizationServer([ecKey("k1")]);
    const token = await server.token(OPAQUE_RESOURCE);

    const answer = await introspection(server, { clientSecret: "wrong-secret" }).verify(token, patient);
    assert.ok(answer instanceof IamError && answer.kind === "VerifierUnavailable");
    assert.match(answer.reason ?? "", /it answered 401$/);
  });
});

describe("keys that change under load", { skip: needsCodeGeneration }, () => {
  test("refuse what the old one signed after they were loaded, and accept the new one, nobody else", async () => {
    const old = await authorizationServer([ecKey("old")]);
    const clock = new HandClock();
    const keys = JwtKeys.url(`${old.issuer}/jwks`, { clock, reporter: () => {} });
    const verifier = jwtVerifier(old, { keys });
    const remembering = cached(verifier);
    const oldTokens = await Promise.all(Array.from({ length: 20 }, () => old.token(JWT_RESOURCE)));
    const load = (tokens: readonly string[], times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, at) =>
          (at % 2 === 0 ? verifier : remembering).verify(tokens[at % tokens.length] as string, patient),
        ),
      );
    const isOf = (answers: readonly (IamIdentity | IamError)[], kind: string) =>
      assert.deepEqual([...new Set(answers.map(refusal))], [kind]);
    isOf(await load(oldTokens, 300), "an identity");

    // Nobody is there for a while: whoever is known goes on.
    const port = Number(new URL(old.issuer).port);
    await old.stop();
    clock.ms = 500_000;
    isOf(await load(oldTokens, 300), "an identity");
    const server = await authorizationServer([ecKey("new")], port);
    const newTokens = await Promise.all(Array.from({ length: 20 }, () => server.token(JWT_RESOURCE)));
    clock.ms = 531_000;
    const before = remembering.generation;

    // All at once, the old first: they count until the new set is there, the new ones wait for it.
    const during = [load(oldTokens, 300), load(newTokens, 300)] as const;
    const [ofOld, ofNew] = await Promise.all(during);

    isOf(ofOld, "an identity");
    isOf(ofNew, "an identity");
    assert.equal(server.keysAsked, 1);
    assert.ok(remembering.generation > before);
    for (let round = 0; round < 3; round += 1) {
      isOf(await load(oldTokens, 300), "InvalidToken");
      isOf(await load(newTokens, 300), "an identity");
    }
    assert.equal(server.keysAsked, 1, "the old kid is unknown now, and does not hammer the server");
  });

  test("let both sign where the server has both, as a rotation should go", async () => {
    const [first, second] = [ecKey("first"), ecKey("second")];
    const before = await authorizationServer([first]);
    const clock = new HandClock();
    const keys = JwtKeys.url(`${before.issuer}/jwks`, { clock });
    const verifier = jwtVerifier(before, { keys });
    const early = await before.token(JWT_RESOURCE);
    identity(await verifier.verify(early, patient));
    await before.stop();
    const after = await authorizationServer([second, first], Number(new URL(before.issuer).port));
    const late = await after.token(JWT_RESOURCE);
    clock.ms = 30_000;

    identity(await verifier.verify(late, patient));
    identity(await verifier.verify(early, patient));
    assert.equal(verifier.generation, 0);
  });
});
