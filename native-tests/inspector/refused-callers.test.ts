// Why nobody was let in, told to who watches and to no client.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, BearerAuth, Framework, IamError, IamPolicy, type IamVerifier, ProblemDetail } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

const { anyOf, requireClaims, requireRole } = IamPolicy;
const OPERATOR = "operator-token-0123456789";
const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
const auth = BearerAuth.tokens({ operator: OPERATOR });

const verifier: IamVerifier = {
  description: "names",
  verify: (token) => {
    if (token === "forged") return IamError.invalidToken('aud is "other", which is somebody else');
    if (token === "later") return IamError.verifierUnavailable("connect to ada@db.example failed");
    return { subject: token, roles: ["clerk"], claims: {} };
  },
};
const policies = {
  "/role": requireRole("manager"),
  "/claims": requireClaims(["plan"]),
  "/either": anyOf(requireRole("manager"), requireClaims(["plan"])),
};

/** What the client and the Inspector are told, for each path and token. */
async function refused(asks: readonly (readonly [string, string])[]) {
  const routed = Object.entries(policies).reduce(
    (ingress, [path, policy]) =>
      ingress.get(
        path,
        Axon.start(path.slice(1))
          .thenFn("answer", () => "in")
          .withIam(policy, verifier),
      ) as typeof ingress,
    Framework.http({ reporter: () => {} }),
  );
  const mapped = routed.get(
    "/mapped",
    Axon.start("mapped")
      .thenFn("answer", () => "in")
      .withIam(requireRole("manager"), verifier),
    { onFault: () => new ProblemDetail({ status: 404, code: "NOT_FOUND", title: "There is nothing here" }) },
  );
  const ingress = mapped.inspector({ enabled: true, auth });
  const app = new TestApp(ingress);
  await app.start();
  const { app: inspector } = inspectorOf(ingress);
  const answers: unknown[] = [];
  const texts: string[] = [];
  for (const [path, token] of asks) {
    const answer = await app.get(path, { headers: { authorization: `Bearer ${token}` } });
    answers.push([answer.status, answer.problem.code, answer.problem.detail]);
    texts.push(`${JSON.stringify(answer.headers)} ${answer.text}`);
  }
  const ask = async (path: string) =>
    ((await inspector.get(`/api/v1/${path}`, { headers })).json as any).data;
  const { traces } = await ask("traces");
  const errors: any[] = [];
  for (const { run_id } of traces) errors.push((await ask(`traces/${run_id}`)).error);
  await app.close();
  await inspector.close();
  const shown = traces.map(({ fault }: any) => [fault.code, fault.status, fault.detail]);
  return { answers, texts, errors, shown: shown.toReversed() };
}

describe("the trace of a request that nobody was let in for", () => {
  test("says what the policy needs, and the client learns none of it", async () => {
    const asks = [
      ["/role", "ada"],
      ["/claims", "ada"],
      ["/either", "ada"],
      ["/role", "forged"],
      ["/mapped", "ada"],
    ] as const;
    const { answers, texts, shown } = await refused(asks);

    assert.deepEqual(shown, [
      ["ROLE_INSUFFICIENT", 403, 'missing role "manager"'],
      ["CLAIMS_MISSING", 403, 'missing claims "plan"'],
      ["ROLE_INSUFFICIENT", 403, 'missing role "manager" or claims "plan"'],
      ["TOKEN_INVALID", 401, 'aud is "other", which is somebody else'],
      ["NOT_FOUND", 404, 'missing role "manager"'],
    ]);
    assert.deepEqual(answers, [
      [403, "ROLE_INSUFFICIENT", undefined],
      [403, "CLAIMS_MISSING", undefined],
      [403, "ROLE_INSUFFICIENT", undefined],
      [401, "TOKEN_INVALID", undefined],
      [404, "NOT_FOUND", undefined],
    ]);
    for (const text of texts) assert.doesNotMatch(text, /manager|plan|other|needed:/i);
  });

  test("says what a verifier failed of as it says what an exception said", async () => {
    const { shown, errors } = await refused([["/role", "later"]]);

    assert.equal(shown[0].at(-1), null);
    assert.match(errors[0].message, /^connect to /);
  });
});
