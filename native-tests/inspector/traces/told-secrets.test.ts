// What a request sends as a secret hides in its trace what it is, no more, and keeps nothing
// else from being hidden.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, header } from "framework";
import { tracedApp } from "../../support/traced-app.js";

const ISSUED = "issued-token-9876";

const cookie = header("cookie");

/** The values of the nodes of a trace of a request with this Cookie header. */
async function shownWith(sent: string): Promise<string> {
  const axon = Axon.start("issue")
    .thenFn("look", (_, bus) => bus.get(cookie).length, { reads: [cookie] })
    .thenFn("issue", () => ({ token: ISSUED }))
    .thenFn("rename", ({ token }) => ({ note: `got ${token}`, kind: "session", about: "a preference" }))
    .thenFn(
      "greet",
      (given, bus) => ({ ...given, theme: bus.get(header("cookie")).includes("theme=dark") }),
      { reads: [header("cookie")] },
    );
  const { app, newest } = tracedApp((ingress) => ingress.get("/", axon), "full");
  await using _ = app;
  assert.equal((await app.get("/", { headers: { cookie: sent } })).status, 200);
  return JSON.stringify(newest().nodes.map(({ input, output }) => [input, output]));
}

describe("a trace of a request that sends secrets", () => {
  for (const [what, sent] of Object.entries({
    few: "a=b",
    "many parts in one": `prefs=${Array.from({ length: 80 }, (_, i) => `item${100 + i}`).join("&")}`,
    "many of a name": Array.from({ length: 200 }, (_, i) => `session_${i}=value-number-${i}`).join("; "),
  }))
    test(`has none that a step has made: ${what}`, async () => {
      const shown = await shownWith(sent);

      assert.match(shown, /got \[redacted\]/);
      assert.doesNotMatch(shown, new RegExp(ISSUED));
    });

  test("has no value of a cookie, and their names", async () => {
    const shown = await shownWith("session=abcdef123456; preference=abcdef-of-old; theme=dark");

    assert.match(shown, /"kind\\?":\\?"session/);
    assert.match(shown, /a preference/);
    assert.doesNotMatch(shown, /abcdef/);
  });
});
