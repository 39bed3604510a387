// Rules of alerts that name what is not mounted would never raise anything.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";
import { TestApp } from "framework/http";
import { type AlertRule, BearerAuth } from "framework/inspector";

const auth = BearerAuth.tokens({ operator: "an-operators-own-token" });
const sell = Axon.start("sell").thenFn("price", () => 1);
const talk = Axon.start<string | Uint8Array>("talk").thenFn("answer", (said) => said);

async function starting(...rules: unknown[]): Promise<void> {
  const alerts = { rules: rules as AlertRule[] };
  const ingress = Framework.http()
    .get("/", sell)
    .ws("/talk", { message: talk })
    .inspector({ enabled: true, auth, alerts });
  await using app = new TestApp(ingress);
  await app.start();
}

describe("a rule", () => {
  test("is about circuits that are mounted, of WebSockets too", async () => {
    await starting(
      { kind: "error_rate", share: 0.1, circuit: "sell" },
      { kind: "error_rate", share: 0.1, circuit: "talk" },
    );
  });

  test("that names others keeps the server from starting, and says what there is", async () => {
    await assert.rejects(starting({ kind: "error_rate", share: 0.1, circuit: "sel" }), {
      code: "START_FAILED",
      message: /"circuit":"sel".*: no circuit 'sel' is mounted; there are sell, talk/,
    });
  });

  test("stands in a list", () => {
    const alerts = { rules: { kind: "error_rate", share: 0.1 } } as never;

    assert.throws(() => Framework.http().inspector({ alerts }), {
      message: /rules of .*: write rules: \[\.\.\.\]/,
    });
  });
});
