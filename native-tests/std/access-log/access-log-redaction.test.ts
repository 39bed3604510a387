import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { header } from "framework/core";
import { AccessLogGuard, type AccessLogOptions } from "framework/std";
import { declareProtocols } from "#core/wire/offered-protocols.js";
import { type Answer, lineOf, textOf } from "../../support/access-line.js";

/** What a program without types passes. */
const untyped = (value: unknown) => value as never;

describe("redacted paths", () => {
  const guard = new AccessLogGuard().redactPaths(["/login", "/users/*"]).redactPaths(["/reset/*"]);
  const pathOf = (path: string, route?: string) => lineOf(guard, { path, route })["path"];

  test("are hidden where they are listed, or begin as one with a '*'", () => {
    assert.equal(pathOf("/login"), "[redacted]");
    assert.equal(pathOf("/users/ada"), "/users/[redacted]");
    assert.equal(pathOf("/reset/tOkEn/confirm"), "/reset/[redacted]");
    for (const path of ["/", "/login2", "/login/help", "/users", "/user/ada"])
      assert.equal(pathOf(path), path);
  });

  test("are hidden however they are spelled", () => {
    const spellings = [
      "/%75sers/SECRET",
      "/%2575sers/SECRET",
      "/users%2fSECRET",
      "/users%2FSECRET",
      "/USERS/SECRET",
      "//users///SECRET",
      "/users//SECRET",
      "\\users\\SECRET",
      "/users/../SECRET",
      "/x/../users/SECRET",
      "/x/%2e%2e/users/SECRET",
      "/./users/SECRET",
      "/users/%zz/SECRET",
      "/%75sers/%zz/SECRET",
      "/%75sers/%ff/SECRET",
    ];
    for (const path of spellings) assert.equal(pathOf(path), "/users/[redacted]", path);
    for (const path of ["/login/", "/%6cogin", "/LOGIN//", "//login", "/login/."])
      assert.equal(pathOf(path), "[redacted]", path);
  });

  test("are hidden as far as a path is shown, whatever stands before them", () => {
    for (const padding of ["/", "/.", "/x/..", "/%2e", "/%zz/.."]) {
      for (let count = 0; count < 1100; count += 1) {
        const path = `${padding.repeat(count)}/users/SECRET`;
        if (path.length > 1100) break;
        assert.doesNotMatch(String(pathOf(path)), /SEC/, path);
      }
    }
  });

  test("are hidden where they are not ASCII, and a long one is cut within a character", () => {
    const logged = new AccessLogGuard().redactPaths(["/pr\u00fcfung/*"]);
    const shown = (path: string) => lineOf(logged, { path })["path"];

    for (const prefix of ["/pr%C3%BCfung/", "/pr%25c3%25bcfung/", "%2f%70r%c3%bc%66ung/", "/pr\u00fcfung/"]) {
      for (const rest of ["SECRET", "SECRET%zz", "SECRET%ff", "SECRET\u00e9%C3"])
        assert.equal(shown(prefix + rest), "/pr\u00fcfung/[redacted]", prefix + rest);
      for (let count = 330; count < 345; count += 1)
        assert.equal(
          shown(`${prefix}SECRET${"%C3%BC".repeat(count / 2)}${"%41".repeat(count)}`),
          "/pr\u00fcfung/[redacted]",
        );
    }
  });

  test("show no route without parameters, which is the path once more, and no query", () => {
    const logged = new AccessLogGuard({ query: true }).redactPaths(["/login", "/users/*"]);
    const line = (path: string, route: string) => lineOf(logged, { path, route, query: "a=SECRET" });

    assert.deepEqual(
      [line("/login", "/login")["route"], line("/users/me", "/users/me")["route"]],
      [undefined, undefined],
    );
    assert.equal(line("/users/ada", "/users/:id")["route"], "/users/:id");
    assert.equal(line("/users/ada", "/users/*rest")["route"], "/users/*rest");
    assert.equal(line("/login", "/login")["query"], undefined);
    assert.equal(line("/orders", "/orders")["query"], "a=SECRET");
  });

  test("are not needed for what a route calls by the name of a secret", () => {
    const shown = (path: string, route: string) => lineOf(new AccessLogGuard(), { path, route })["path"];

    assert.equal(shown("/reset/SECRET", "/reset/:token"), "/reset/[redacted]");
    assert.equal(shown("/reset/SECRET/now", "/reset/:token/now"), "/reset/[redacted]/now");
    assert.equal(shown("/users/ada/SECRET/x", "/users/:id/*secret"), "/users/ada/[redacted]");
    assert.equal(shown("/users/ada", "/users/:id"), "/users/ada");
  });

  test("are those of a new guard: the old one stays as it was", () => {
    const before = new AccessLogGuard();
    before.redactPaths(["/*"]);

    assert.equal(lineOf(before)["path"], "/orders/42");
  });

  test("show the least that one of several patterns would", () => {
    const both = new AccessLogGuard({ redactPaths: ["/users/vip/*", "/users/*", "/users/vip/ada"] });

    assert.equal(lineOf(both, { path: "/users/vip/bob" })["path"], "/users/[redacted]");
    assert.equal(lineOf(both, { path: "/users/vip/ada" })["path"], "[redacted]");
  });

  test("are refused where they are no paths", () => {
    for (const path of ["", "users/*", "*", "/users/:id", "/a*/b", "/**", "/a?b=1", "/a#b", 1, null])
      assert.throws(() => new AccessLogGuard().redactPaths([untyped(path)]), {
        code: "CONFIG_INVALID",
        message: /^AccessLogGuard\.redactPaths: .* is no path/,
      });
  });

  test("are refused where they are no list, or under another name, and never just ignored", () => {
    const none = { code: "CONFIG_INVALID", message: /^AccessLogGuard\.redactPaths: .* no list/ };

    assert.throws(() => new AccessLogGuard().redactPaths(untyped("/")), none);
    assert.throws(() => new AccessLogGuard({ redactPaths: untyped("/") }), none);
    assert.throws(() => new AccessLogGuard(untyped({ redact: ["/login"] })), {
      code: "CONFIG_INVALID",
      message: /^AccessLogGuard: 'redact' .*; there are .*redactPaths/,
    });
    assert.throws(() => new AccessLogGuard({ headers: untyped("referer") }), {
      code: "CONFIG_INVALID",
      message: /headers is no list/,
    });
  });
});

describe("a query", () => {
  const queryOf = (query: AccessLogOptions["query"], text: string) =>
    lineOf(new AccessLogGuard(query === undefined ? {} : { query }), { query: text })["query"];

  test("is not logged unless it is allowed", () => {
    assert.equal(queryOf(undefined, "page=2"), undefined);
    assert.equal(queryOf(false, "page=2"), undefined);
    assert.equal(queryOf(true, "page=2&q=%20"), "page=2&q=%20");
  });

  test("has the parameters that are allowed by name, as they came", () => {
    assert.equal(
      queryOf(["page", "q q"], "a=1&page=2&q+q=3&q%20q=4&pag%65=5&page&pages=6"),
      "page=2&q+q=3&q%20q=4&pag%65=5&page",
    );
    assert.equal(queryOf(["page"], "a=1&b=2"), undefined);
    assert.equal(queryOf(["page"], "%zz=1&page=2"), "page=2");
  });

  test("shows no value whose name sounds like a secret's", () => {
    const names = [
      "token",
      "access_token",
      "%74oken",
      "PASSWORD",
      "api_key",
      "apikey",
      "sig",
      "code",
      "sid",
      "client_secret",
      "accessKey",
      "userPin",
      "user[pin]",
      "keys[0][key]",
      "otp[]",
      "sessid",
      "PHPSESSID",
      "passcode",
      "SAMLResponse",
      "ticket",
      "bearer",
    ];
    for (const name of names)
      for (const allowed of [true, [decodeURIComponent(name)]])
        assert.equal(queryOf(allowed, `${name}=SECRET`), `${name}=[redacted]`);
    const others = "keyword=a&country_code=b&spin=c&monkey=d&Signal=e&author=f&compass=g&KEYWORD=h&tickets=i";
    assert.equal(queryOf(true, others), others);
  });

  test("is looked at as far as a hundred parameters", () => {
    assert.equal(queryOf(["z"], `${"a=1&".repeat(99)}z=2&z=3`), "z=2");
  });
});

describe("logged headers", () => {
  const headersOf = (headers: Record<string, string>) => {
    const guard = new AccessLogGuard({ headers: Object.keys(headers) });
    const facts = Object.entries(headers).map(([name, value]) => [header(name), value] as const);
    return lineOf(guard, {}, facts)["headers"];
  };

  test("are those that were asked for, where the request has them", () => {
    assert.deepEqual(headersOf({ "Accept-Language": "de", accept: "*/*" }), {
      "accept-language": "de",
      accept: "*/*",
    });
    assert.equal(lineOf(new AccessLogGuard({ headers: ["accept"] }))["headers"], undefined);
    assert.ok(new AccessLogGuard({ headers: ["Accept"] }).observer.reads.includes(header("accept")));
  });

  test("never show what sounds like a secret, whatever is asked for", () => {
    const secrets = [
      "Authorization",
      "Proxy-Authorization",
      "Cookie",
      "Set-Cookie",
      "X-Api-Key",
      "X-Auth-Token",
      "X-CSRF-Token",
      "X-Amz-Security-Token",
      "Ocp-Apim-Subscription-Key",
      "Cf-Access-Jwt-Assertion",
      "X-Session-Id",
    ];
    const shown = headersOf(Object.fromEntries(secrets.map((name) => [name, "SECRET"])));

    assert.deepEqual(shown, Object.fromEntries(secrets.map((name) => [name.toLowerCase(), "[redacted]"])));
  });

  test("show of the subprotocols that a handshake offers what a route declares", () => {
    declareProtocols(["chat.v1"]);

    assert.deepEqual(headersOf({ "Sec-WebSocket-Protocol": "chat.v1, bearer.SECRET" }), {
      "sec-websocket-protocol": "chat.v1, [redacted]",
    });
  });

  test("show of an address its origin", () => {
    assert.deepEqual(
      headersOf({
        referer: "https://user:SECRET@shop.example/reset/SECRET?token=SECRET#SECRET",
        "x-original-url": "/reset/SECRET",
      }),
      { referer: "https://shop.example", "x-original-url": "[redacted]" },
    );
  });

  test("are refused where they are no names", () => {
    for (const name of ["", "a b", "a\r\nb", 1])
      assert.throws(() => new AccessLogGuard({ headers: [untyped(name)] }), { code: "CONFIG_INVALID" });
    assert.throws(() => new AccessLogGuard({ query: untyped("page") }), { code: "CONFIG_INVALID" });
  });
});

describe("skipped paths", () => {
  const guard = new AccessLogGuard({ skip: ["/health", "/assets/*"] });
  const isLogged = (answer: Answer) => textOf(guard, answer) !== "";

  test("leave no line where all went well", () => {
    assert.equal(isLogged({ path: "/health" }), false);
    assert.equal(isLogged({ path: "/assets/app.js", status: 304 }), false);
    for (const path of ["/healthy", "/health/", "/assets", "/"]) assert.equal(isLogged({ path }), true, path);
  });

  test("leave one where the answer is an error or the client went away", () => {
    assert.equal(isLogged({ path: "/health", status: 503 }), true);
    assert.equal(isLogged({ path: "/assets/none", status: 404 }), true);
    assert.equal(isLogged({ path: "/health", isAborted: true }), true);
  });

  test("leave one where they are spelled in another way", () => {
    for (const path of [
      "/HEALTH",
      "/%68ealth",
      "//health",
      "/assets/../admin",
      "/assets/%2e%2e/admin",
      "/assets//a",
      "/assets/.env",
    ])
      assert.equal(isLogged({ path }), true, path);
  });
});
