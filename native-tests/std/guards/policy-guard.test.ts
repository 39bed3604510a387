import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, IamError, IamIdentity, IamPolicy } from "framework";
import { TestApp } from "framework/http";
import { AuthGuard, PolicyGuard } from "framework/std";

const harbour = {
  verify: (token: string) =>
    token === "none" ? IamError.expired() : { subject: token, roles: [token], claims: {} },
};
const signedIn = new AuthGuard(IamPolicy.requireIdentity(), harbour);
const known = new AuthGuard(IamPolicy.none(), harbour);
const pilots = new PolicyGuard(IamPolicy.requireRole("pilot"));
const hello = Axon.start("hello").thenFn("greet", { mayUse: { identity: IamIdentity } }, (_, bus) =>
  bus.identity === undefined ? "stranger" : bus.identity.subject,
);

describe("PolicyGuard", () => {
  const app = new TestApp(
    Framework.http()
      .get("/pilots", hello, { guards: [known, pilots] })
      .get("/deck", hello, { guards: [signedIn, pilots] })
      .get("/anybody", hello, { guards: [new PolicyGuard(IamPolicy.none())] })
      .get("/nobody", hello, { guards: [pilots] }),
  );
  const answered = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await app.get(path, { headers });
    return [answer.status, answer.status < 300 ? answer.text : answer.problem["code"]];
  };

  test("lets in whom its policy does, by the identity that a guard in front has verified", async () => {
    assert.deepEqual(await answered("/pilots", "pilot"), [200, "pilot"]);
    assert.deepEqual(await answered("/deck", "pilot"), [200, "pilot"]);
    assert.deepEqual(await answered("/anybody"), [200, "stranger"]);
  });

  test("answers 403 to another identity, and 401 where there is none", async () => {
    assert.deepEqual(await answered("/pilots", "cook"), [403, "ROLE_INSUFFICIENT"]);
    assert.deepEqual(await answered("/pilots"), [401, "TOKEN_MISSING"]);
    assert.deepEqual(await answered("/nobody", "pilot"), [401, "TOKEN_MISSING"]);
  });

  test("says for documentation whom it admits and what it refuses with", () => {
    assert.deepEqual(
      [pilots.admits.description, pilots.responses.map(({ status, code }) => [status, code])],
      [
        'role "pilot"',
        [
          [401, "TOKEN_MISSING"],
          [403, "ROLE_INSUFFICIENT"],
        ],
      ],
    );
    assert.throws(() => new PolicyGuard({} as IamPolicy), { code: "CONFIG_INVALID" });
  });
});
