import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { parsePattern } from "#http/routing/pattern.js";
import { firstSegments, Navigations } from "#http/static/navigations.js";
import type { ServedFolder } from "#http/static/served-folder.js";

const folder = {} as ServedFolder;
const navigations = new Navigations({ folder, file: "index.html", apiPrefixes: [["api", "v1"], ["auth"]] });
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const takes = (path: string, accept = BROWSER, method = "GET"): boolean =>
  navigations.takes(method, path.slice(1).split("/"), accept);

describe("who goes to a page", () => {
  test("asks for HTML by its name", () => {
    for (const accept of [BROWSER, "text/html", "TEXT/HTML;q=0.1", "*/* , text/html;level=1"])
      assert.ok(takes("/users/5", accept), accept);
    for (const accept of [
      "",
      "*/*",
      "text/*",
      "application/json",
      "text/html;q=0",
      "text/html; q=0.000",
      "text/htmlx",
    ])
      assert.ok(!takes("/users/5", accept), accept);
  });

  test("reads", () => {
    assert.ok(takes("/users/5", BROWSER, "HEAD"));
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) assert.ok(!takes("/users/5", BROWSER, method));
  });

  test("wants no file", () => {
    for (const path of ["/logo.png", "/assets/app.js", "/a/b.map"]) assert.ok(!takes(path), path);
    for (const path of ["/", "/jane.doe", "/v1.2/"]) assert.ok(takes(path), path);
  });

  test("is not in the API", () => {
    for (const path of ["/api/v1", "/api/v1/", "/api/v1/users", "/auth"]) assert.ok(!takes(path), path);
    for (const path of ["/api", "/api/v10", "/api/v2/x", "/authors", "/x/auth"]) assert.ok(takes(path), path);
  });

  test("is not where routes are", () => {
    const routes = ["/", "/orders", "/orders/:id", "/assets/*path", "/:page", "/*path"].map((path) => ({
      pattern: parsePattern(path),
    }));

    assert.deepEqual(firstSegments(routes), [["orders"], ["assets"]]);
  });
});
