// From a request to a real authorisation server and back, as an application has it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, IamIdentity, IamPolicy } from "framework";
import { TestApp } from "framework/http";
import { cached, IntrospectionVerifier, JwtKeys, JwtVerifier } from "framework/std";

import {
  type AuthorizationServer,
  authorizationServer,
  CLIENT,
  JWT_RESOURCE,
  OPAQUE_RESOURCE,
} from "../support/authorization-server.js";
import { needsCodeGeneration } from "../support/code-generation.js";
import { ecKey } from "../support/jwks-server.js";
import { until } from "../support/patience.js";

const { requireIdentity, requireRole } = IamPolicy;

function application(server: AuthorizationServer): TestApp<any> {
  const jwt = new JwtVerifier({
    algorithm: "ES256",
    keys: JwtKeys.url(`${server.issuer}/jwks`, { reporter: () => {} }),
    issuer: server.issuer,
    audience: JWT_RESOURCE,
    requiredType: "at+jwt",
  });
  const opaque = new IntrospectionVerifier({
    url: `${server.issuer}/token/introspection`,
    ...CLIENT,
    issuer: server.issuer,
    audience: OPAQUE_RESOURCE,
  });
  const who = Axon.start("who").thenFn(
    "who",
    (_: unknown, bus) => bus.find(IamIdentity)?.subject ?? "nobody",
    {
      mayRead: [IamIdentity],
    },
  );
  return new TestApp(
    Framework.http()
      .get("/jwt", who.withIam(requireIdentity(), cached(jwt)))
      .get("/opaque", who.withIam(requireRole("admin"), opaque))
      .get("/root", who.withIam(requireRole("root"), opaque)),
  );
}

const asked = async (app: TestApp<any>, path: string, token: string): Promise<string> => {
  const answer = await app.get(path, { headers: { authorization: `Bearer ${token}` } });
  return answer.status === 200 ? answer.text : `${answer.status} ${answer.problem?.code}`;
};

describe("routes behind a real authorisation server", { skip: needsCodeGeneration }, () => {
  test("let in whoever has its tokens, of the right kind and with the role", async () => {
    const server = await authorizationServer([ecKey("k1")]);
    const app = application(server);
    const jwt = await server.token(JWT_RESOURCE);
    const { access, refresh } = await server.userTokens("alice");

    const many = await Promise.all(Array.from({ length: 300 }, () => asked(app, "/jwt", jwt)));
    assert.deepEqual([...new Set(many)], [CLIENT.clientId]);
    assert.equal(server.keysAsked, 1);
    assert.equal(await asked(app, "/opaque", access), "alice");
    assert.equal(await asked(app, "/root", access), "403 ROLE_INSUFFICIENT");
    assert.equal(await asked(app, "/opaque", refresh), "401 TOKEN_INVALID");
    assert.equal(await asked(app, "/opaque", jwt), "401 TOKEN_INVALID");
    assert.equal(await asked(app, "/jwt", access), "401 TOKEN_INVALID");
    await server.revoke(access);
    assert.equal(await asked(app, "/opaque", access), "401 TOKEN_INVALID");
  });

  test("are 503 and not 401 while nobody answers, and let in again after", async () => {
    const key = ecKey("k1");
    const server = await authorizationServer([key]);
    const app = application(server);
    const jwt = await server.token(JWT_RESOURCE);
    const { access } = await server.userTokens("alice");
    await server.stop();

    assert.equal(await asked(app, "/jwt", jwt), "503 VERIFIER_UNAVAILABLE");
    assert.equal(await asked(app, "/opaque", access), "503 VERIFIER_UNAVAILABLE");
    await authorizationServer([key], Number(new URL(server.issuer).port));
    await until("the keys are asked for again", async () => {
      return (await asked(app, "/jwt", jwt)) === CLIENT.clientId;
    });
  });
});
