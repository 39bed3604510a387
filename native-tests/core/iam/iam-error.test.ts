import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { IamError } from "framework/core";

describe("an IamError", () => {
  const challengeOf = (scope: string) =>
    IamError.missingClaims("no", scope).toReply().headers["www-authenticate"]?.[0];

  test("names the scopes that would have been enough", () => {
    assert.equal(
      challengeOf("read write"),
      'Bearer realm="api", error="insufficient_scope", scope="read write"',
    );
  });

  for (const scope of ['a", error="other', "a\\", "a\r\nset-cookie: a=b", "ä", " a", ""])
    test(`names no scope that is none: ${JSON.stringify(scope)}`, () => {
      assert.equal(challengeOf(scope), 'Bearer realm="api", error="insufficient_scope"');
    });
});
