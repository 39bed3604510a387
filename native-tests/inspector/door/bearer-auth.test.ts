import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { IamError } from "framework/core";
import { BearerAuth } from "framework/inspector";

const OPERATOR = "operator-token-0123456789";
const VIEWER = "viewer-token-0123456789";
const signal = new AbortController().signal;

const roleBy = async (auth: BearerAuth, token: string): Promise<string> => {
  const answer = await auth.verifier.verify(token, { signal });
  return answer instanceof IamError ? answer.kind : answer.roles.join();
};

describe("BearerAuth", () => {
  test("tells operators and viewers by their tokens, and nobody else", async () => {
    const auth = BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER });

    assert.equal(await roleBy(auth, OPERATOR), "operator");
    assert.equal(await roleBy(auth, VIEWER), "viewer");
    for (const other of [`${OPERATOR}x`, OPERATOR.slice(1), "", "\0".repeat(32)])
      assert.equal(await roleBy(auth, other), "InvalidToken", JSON.stringify(other));
    assert.equal(await roleBy(BearerAuth.tokens({ operator: OPERATOR }), VIEWER), "InvalidToken");
  });

  test("refuses tokens that are short, malformed or one, and does not quote them", () => {
    const refused = (make: () => unknown, secret: string): void => {
      assert.throws(make, (error: Error & { code?: string }) => {
        assert.equal(error.code, "CONFIG_INVALID");
        return !error.message.includes(secret);
      });
    };
    for (const token of [
      "",
      "fifteen-charact",
      "with a space 0123456789",
      "caf\u00e9-caf\u00e9-caf\u00e9-caf\u00e9",
      undefined,
      7,
    ])
      refused(() => BearerAuth.tokens({ operator: token as string }), String(token) || "nobody");
    refused(() => BearerAuth.tokens({ operator: OPERATOR, viewer: OPERATOR }), OPERATOR);
    refused(() => BearerAuth.tokens({ operator: OPERATOR, viewer: "short" }), "short");
    refused(() => BearerAuth.tokens({ operator: OPERATOR, wiewer: VIEWER } as never), VIEWER);
  });

  test("takes its tokens from the environment, and no empty ones", async () => {
    const env = { FRAMEWORK_INSPECTOR_BEARER_TOKEN: OPERATOR, FRAMEWORK_INSPECTOR_VIEWER_TOKEN: VIEWER };

    assert.equal(await roleBy(BearerAuth.fromEnv(env), VIEWER), "viewer");
    const operatorAlone = BearerAuth.fromEnv({ ...env, FRAMEWORK_INSPECTOR_VIEWER_TOKEN: "" });
    assert.equal(await roleBy(operatorAlone, OPERATOR), "operator");
    assert.equal(await roleBy(operatorAlone, ""), "InvalidToken");
    for (const wrong of [
      {},
      { ...env, FRAMEWORK_INSPECTOR_BEARER_TOKEN: "" },
      { ...env, FRAMEWORK_INSPECTOR_VIEWER_TOKEN: "short" },
    ])
      assert.throws(() => BearerAuth.fromEnv(wrong), { code: "CONFIG_INVALID" });
  });

  test("asks a function of the program, which lets nobody in by a mistake", async () => {
    const auth = BearerAuth.verify(async (token) => (token === OPERATOR ? "operator" : undefined));

    assert.equal(await roleBy(auth, OPERATOR), "operator");
    assert.equal(await roleBy(auth, VIEWER), "InvalidToken");
    await assert.rejects(async () => roleBy(BearerAuth.verify((() => true) as never), OPERATOR), TypeError);
    assert.throws(() => BearerAuth.verify("token" as never), { code: "CONFIG_INVALID" });
  });
});
