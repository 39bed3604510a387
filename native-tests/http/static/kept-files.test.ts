// What caches may keep of files, where an answer is for one client.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework, IamPolicy, type IamVerifier } from "framework";
import { TestApp } from "framework/http";
import { LoadSession, Sessions } from "framework/std";
import { site } from "../../support/site.js";

const ingress = () => Framework.http({ processGuards: false, reporter: () => {} });
const HASHED = "app-5BXQ3VZK.js";
const files = site({ [HASHED]: "run()", "page.html": "<p>" });
const STALE = { cookie: "__Host-sid=malformed" };

describe("files that come with a session's end", () => {
  for (const [from, cache] of [
    ["memory", undefined],
    ["the disk", false],
  ] as const)
    test(`are kept by nobody: from ${from}, in parts, and unmodified`, async () => {
      await using app = new TestApp(
        ingress()
          .guard(new LoadSession(new Sessions()))
          .serveDir("/static", files, cache === undefined ? {} : { cache }),
      );
      const target = `/static/${HASHED}`;
      const usual = await app.get(target);
      assert.match(usual.headers["cache-control"] ?? "", /immutable$/);
      const etag = usual.headers["etag"] ?? "";

      for (const [status, more] of [
        [200, {}],
        [206, { range: "bytes=0-1" }],
        [304, { "if-none-match": etag }],
      ] as const) {
        const response = await app.get(target, { headers: { ...STALE, ...more } });

        assert.equal(response.status, status);
        assert.match(response.setCookies[0] ?? "", /^__Host-sid=;/);
        assert.equal(response.headers["cache-control"], "no-store", String(status));
        assert.equal(response.headers["etag"], etag);
      }
      assert.equal((await app.get(target)).headers["cache-control"], usual.headers["cache-control"]);
    });
});

describe("files that need an identity", () => {
  const verifier: IamVerifier = {
    description: "anybody",
    verify: () => ({ subject: "ann", roles: [], claims: {} }),
  };

  test("are kept by whoever got them, and by no cache that others share", async () => {
    await using app = new TestApp(
      ingress().serveDir("/own", files, { iam: { policy: IamPolicy.requireIdentity(), verifier } }),
    );
    const response = await app.get(`/own/${HASHED}`, { headers: { authorization: "Bearer x" } });

    assert.equal(response.status, 200);
    assert.equal(response.headers["cache-control"], "private, max-age=31536000, immutable");
  });
});
