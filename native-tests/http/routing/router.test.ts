import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { Refusal } from "#http/refusal/refusal.js";
import { type Pattern, parametersOf, parsePattern } from "#http/routing/pattern.js";
import { type Routed, Router, type RouterOptions } from "#http/routing/router.js";

/** Routes written as "GET /path". */
function routerOf(routes: readonly string[], options: RouterOptions = {}) {
  const router = new Router<Routed>(options);
  const all = routes.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, pattern: parsePattern(path) };
  });
  for (const route of all) router.add(route);
  router.followGet(all);
  return (method: string, path: string) => {
    const target = { method, path, segments: [] as readonly string[] };
    const found = router.find(target);
    if (found instanceof Refusal) return `${found.problem.status} ${found.headers["allow"] ?? ""}`.trim();
    return [
      `${found.method} ${found.pattern.text}`,
      ...Object.values(parametersOf(found.pattern, target.segments)),
    ].join(" ");
  };
}

describe("router", () => {
  test("prefers static to parameter to rest, whatever the order of declaration", () => {
    const routes = ["GET /a/*rest", "GET /a/:id", "GET /a/b", "GET /:x/b", "GET /a/:id/c"];
    for (const order of [routes, [...routes].reverse()]) {
      const find = routerOf(order);

      assert.equal(find("GET", "/a/b"), "GET /a/b");
      assert.equal(find("GET", "/a/x"), "GET /a/:id x");
      assert.equal(find("GET", "/a/x/y"), "GET /a/*rest x/y");
      assert.equal(find("GET", "/a/b/c"), "GET /a/:id/c b");
      assert.equal(find("GET", "/z/b"), "GET /:x/b z");
    }
  });

  test("goes back where the best beginning leads nowhere", () => {
    const find = routerOf(["GET /a/b/c", "GET /a/:x/d", "GET /*all"]);

    assert.equal(find("GET", "/a/b/d"), "GET /a/:x/d b");
    assert.equal(find("GET", "/a/b/e"), "GET /*all a/b/e");
  });

  test("matches what it decoded once, and never decodes twice", () => {
    const find = routerOf(["GET /admin", "GET /user/:id", "GET /café"]);

    assert.equal(find("GET", "/%61dmin"), "GET /admin");
    assert.equal(find("GET", "/caf%C3%A9"), "GET /café");
    assert.equal(find("GET", "/user/%2561"), "GET /user/:id %61");
    assert.equal(find("GET", "/%2561dmin"), "404");
  });

  test("lets an encoded slash or backslash into a parameter, and nowhere else", () => {
    const find = routerOf(["GET /user/:id", "GET /files/*rest", "GET /a/b"]);

    assert.equal(find("GET", "/user/a%2Fb"), "GET /user/:id a/b");
    assert.equal(find("GET", "/user/a%5Cb"), "GET /user/:id a\\b");
    assert.equal(find("POST", "/user/a%2Fb"), "405 GET, HEAD, OPTIONS");
    for (const path of ["/a%2Fb", "/files/a%2Fb", "/files/a%5cb", "/nowhere/%2F", "/user%2Fa"])
      assert.equal(find("GET", path), "400", path);
  });

  test("refuses what is no percent-encoded ASCII", () => {
    const find = routerOf(["GET /user/:id", "GET /*all"]);
    for (const path of [
      "/user/%",
      "/user/%zz",
      "/user/%00",
      "/user/%C3",
      "/user/%C3%28",
      "/user/é",
      "/user/a\\b",
      "/user/a#b",
      "/user/a\tb",
      "/%ED%A0%80",
    ]) {
      assert.equal(find("GET", path), "400", path);
    }
  });

  test("never matches a parameter with an empty segment", () => {
    const find = routerOf(["GET /user/:id", "GET /files/*rest"]);

    assert.equal(find("GET", "/user/"), "404");
    assert.equal(find("GET", "//user/a"), "404");
    assert.equal(find("GET", "/user//"), "404");
    assert.equal(find("GET", "/files/"), "GET /files/*rest ");
    assert.equal(find("GET", "/files"), "404");
  });

  test("takes /a and /a/ as two paths, or as one where it is told to", () => {
    const strict = routerOf(["GET /a", "GET /:id/x/"]);
    const lenient = routerOf(["GET /a", "GET /:id/x/", "GET /"], { trailingSlash: "ignore" });

    assert.deepEqual(
      [strict("GET", "/a"), strict("GET", "/a/"), strict("GET", "/1/x")],
      ["GET /a", "404", "404"],
    );
    assert.deepEqual(
      [lenient("GET", "/a/"), lenient("GET", "/1/x"), lenient("GET", "/")],
      ["GET /a", "GET /:id/x/ 1", "GET /"],
    );
  });

  test("answers 405 with the methods of a known path", () => {
    const find = routerOf(["GET /a", "POST /a", "DELETE /:id"]);

    assert.equal(find("PUT", "/a"), "405 DELETE, GET, HEAD, OPTIONS, POST");
    assert.equal(find("PUT", "/b"), "405 DELETE, OPTIONS");
    assert.equal(find("PUT", "/b/c"), "404");
  });

  test("lets HEAD follow GET, unless it has a route of its own", () => {
    const find = routerOf(["GET /a", "GET /b", "HEAD /b", "POST /c"]);

    assert.equal(find("HEAD", "/a"), "GET /a");
    assert.equal(find("HEAD", "/b"), "HEAD /b");
    assert.equal(find("HEAD", "/c"), "405 OPTIONS, POST");
  });

  test("refuses two routes that match the same requests", () => {
    const message = /GET \/a\/:y and GET \/a\/:x match the same requests/;

    assert.throws(() => routerOf(["GET /a/:x", "GET /a/:y"]), { code: "ROUTE_CONFLICT", message });
    assert.throws(() => routerOf(["GET /*x", "GET /*y"]), { code: "ROUTE_CONFLICT" });
    assert.throws(() => routerOf(["GET /a", "GET /a/"], { trailingSlash: "ignore" }), {
      code: "ROUTE_CONFLICT",
    });
    assert.equal(routerOf(["GET /a/:x", "POST /a/:y", "GET /a/:x/b"])("POST", "/a/1"), "POST /a/:y 1");
  });

  test("finds what trying every route one by one finds", () => {
    const segment = fc.constantFrom("a", "b", ":", "");
    const shape = fc
      .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([parts, rest]) => {
        const inner = parts.map((part, i) =>
          part === ":" ? `:p${i}` : part === "" && (i < parts.length - 1 || rest) ? "a" : part,
        );
        return `/${[...inner, ...(rest ? ["*r"] : [])].join("/")}`;
      });
    const paths = fc
      .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 5 })
      .map((parts) => `/${parts.join("/")}`);
    fc.assert(
      fc.property(
        fc.uniqueArray(shape, { maxLength: 8, selector: (text) => text.replace(/:p\d/g, ":") }),
        paths,
        (texts, path) => {
          const find = routerOf(texts.map((text) => `GET ${text}`));
          const best = bestOf(
            texts.map((text) => parsePattern(text)),
            path,
          );

          assert.equal(
            find("GET", path).split(" ").slice(0, 2).join(" "),
            best === undefined ? "404" : `GET ${best}`,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** The pattern whose segments, from the left, are the most particular of all that match. */
function bestOf(patterns: readonly Pattern[], path: string): string | undefined {
  const parts = path.slice(1).split("/");
  const rank = ({ segments }: Pattern): string | undefined => {
    let text = "";
    for (const [i, segment] of segments.entries()) {
      const part = parts[i];
      if (part === undefined) return undefined;
      if (segment.kind === "rest") return `${text}2`;
      if (segment.kind === "static" ? segment.text !== part : part === "") return undefined;
      text += segment.kind === "static" ? "0" : "1";
    }
    return parts.length === segments.length ? text : undefined;
  };
  const matching = patterns.flatMap((pattern) => {
    const ranked = rank(pattern);
    return ranked === undefined ? [] : [{ text: pattern.text, ranked }];
  });
  return matching.sort((a, b) => (a.ranked < b.ranked ? -1 : 1))[0]?.text;
}
