import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { type OriginRule, OriginRules } from "#core/net/origin-rules.js";
import { hostileOrigin } from "../../support/hostile-origin.js";

const allows = (rules: readonly OriginRule[], origin: string): boolean =>
  new OriginRules(rules, "origins").allows(origin);

const LABEL = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);

describe("OriginRules", () => {
  test("lets in an origin that is named, and none that only looks like it", () => {
    const rules = ["https://app.example", "http://localhost:5173", "http://[::1]:8080"];

    for (const origin of rules) assert.equal(allows(rules, origin), true, origin);
    for (const origin of [
      "http://app.example",
      "https://app.example:8443",
      "https://app.example:443",
      "https://app.example/",
      "https://app.example.",
      "https://app.example.evil.example",
      "https://evilapp.example",
      "https://a.app.example",
      "https://APP.example",
      "HTTPS://app.example",
      "https://user@app.example",
      " https://app.example",
      "https://app.example https://app.example",
      "https://app.example, https://app.example",
      "http://localhost",
      "http://localhost:51730",
      "http://[::1]",
      "null",
      "",
    ])
      assert.equal(allows(rules, origin), false, origin);
  });

  test("compares a rule as browsers write it: in lower case, without the port that is the scheme's own", () => {
    assert.ok(allows(["HTTPS://App.Example:443"], "https://app.example"));
    assert.ok(allows(["http://App.Example:80"], "http://app.example"));
    assert.ok(allows(["https://*.App.Example:443"], "https://a.app.example"));
    assert.ok(allows(["http://app.example:443"], "http://app.example:443"));
  });

  test("lets in every name below a pattern's, at any depth, and nothing else", () => {
    const rules = ["https://*.app.example", "http://*.localhost:3000"];

    for (const origin of [
      "https://a.app.example",
      "https://b.a.app.example",
      "https://a_b-c.app.example",
      "https://xn--bcher-kva.app.example",
      "http://a.localhost:3000",
    ])
      assert.equal(allows(rules, origin), true, origin);
    for (const origin of [
      "https://app.example",
      "https://.app.example",
      "https://a..app.example",
      "https://evilapp.example",
      "https://a.app.example.evil.example",
      "https://app.example.evil.example",
      "https://evil.example/.app.example",
      "https://evil.example#.app.example",
      "https://evil.example?.app.example",
      "https://evil.example\\.app.example",
      "https://evil.example@a.app.example",
      "https://evil.example:1@a.app.example",
      "https://*.app.example",
      "https://a.app.example:443",
      "https://a.app.example:8443",
      "https://a.app.example.",
      "https://A.app.example",
      "http://a.app.example",
      "ftp://a.app.example",
      "https://https://a.app.example",
      "http://a.localhost",
      "http://a.localhost:30000",
      "https://a.localhost:3000",
    ])
      assert.equal(allows(rules, origin), false, origin);
  });

  test("takes a pattern without a scheme for https", () => {
    assert.ok(allows(["*.app.example"], "https://a.app.example"));
    assert.ok(!allows(["*.app.example"], "http://a.app.example"));
    assert.ok(allows(["*.app.example:8443"], "https://a.app.example:8443"));
  });

  test("asks functions about origins as browsers write them, and about nothing else", () => {
    const asked: string[] = [];
    const rules = new OriginRules([(origin) => asked.push(origin) > 0], "origins");
    const taken = [
      "https://app.example",
      "http://localhost:1",
      "http://[::1]:65535",
      "chrome-extension://abc",
    ];
    const left = [
      "null",
      "",
      "https://app.example/",
      "https://app.example:443",
      "http://app.example:80",
      "https://app.example:0",
      "https://app.example:01",
      "https://app.example:65536",
      "https://é.example",
      "https://app.example\r\nx: y",
      `https://${"a".repeat(400)}.example`,
    ];

    for (const origin of taken) assert.equal(rules.allows(origin), true, origin);
    for (const origin of left) assert.equal(rules.allows(origin), false, origin);
    assert.deepEqual(asked, taken);
  });

  test("takes what a function throws, and all that is not true, for a refusal", () => {
    const throws = () => {
      throw new Error("no");
    };

    for (const rule of [throws, () => 1, () => "yes", () => Promise.resolve(true), () => undefined])
      assert.equal(allows([rule as never], "https://app.example"), false);
    assert.equal(allows([throws, () => true], "https://app.example"), true, "the next is asked");
  });

  test("refuses a function that answers later, and lets no failure of it out", async () => {
    const failing = Promise.reject(new Error("The list of origins was out of reach"));
    const unhandled: unknown[] = [];
    const told = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", told);

    assert.throws(() => new OriginRules([(async () => true) as never], "origins"), {
      code: "CONFIG_INVALID",
      message: /^origins: .*answers at once/,
    });
    assert.equal(allows([(() => failing) as never], "https://app.example"), false);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", told);
    assert.deepEqual(unhandled, []);
  });

  test("lets null in where it is named", () => {
    assert.ok(allows(["null"], "null"));
    assert.ok(!allows(["https://app.example", "*.app.example", () => true], "null"));
  });

  test("names every rule that no browser can mean, and the remedy", () => {
    const wrong = [
      "",
      "app.example",
      "https://",
      "https://app.example/",
      "https://app.example/path",
      "https://app.example?",
      "https://user@app.example",
      "https://app.example:0",
      "https://app.example:65536",
      "https://app.example:080",
      "https://*",
      "https://*.",
      "https://*.*.example",
      "https://a.*.example",
      "https://a*.example",
      "https://app.example:*",
      "*://app.example",
      "*",
      "https://bücher.example",
      "http://127.1",
      "http://0x7f000001",
      "https://*.0.0.1",
      "http://[::01]",
      "http://[1.2.3]",
      "https://app..example",
      "https://app.example.",
      "https://app.example\r\nset-cookie: a=b",
      " https://app.example",
      "NULL",
    ];

    assert.throws(
      () => new OriginRules(["https://app.example", ...wrong, 7 as never], "CorsGuard"),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, "CONFIG_INVALID");
        for (const rule of [...wrong, "7"]) assert.ok(error.message.includes(`'${rule}'`), rule);
        assert.ok(!error.message.includes("'https://app.example'"));
        return /^CorsGuard: .*write a list of origins/s.test(error.message);
      },
    );
    for (const rule of wrong)
      assert.throws(() => new OriginRules([rule], "origins"), { code: "CONFIG_INVALID" }, rule);
  });

  test("are nobody else's where cookies come along: no pattern is of a whole top-level domain", () => {
    for (const [given, shown] of [
      ["https://*.com", "https://*.com"],
      ["*.DE", "https://*.de"],
      ["http://*.example.org", undefined],
      ["http://*.dev:8080", "http://*.dev:8080"],
      ["http://*.localhost:5173", undefined],
      ...["corp", "home", "internal", "intranet", "lan", "local", "private"].map(
        (network) => [`https://*.${network}`, undefined] as const,
      ),
      ["app://*.com", undefined],
      ["https://com", undefined],
    ] as const) {
      const rules = new OriginRules(
        ["https://a.example", "https://*.b.example", given, () => true],
        "origins",
      );
      const asked = () => rules.requireOwned("CorsGuard");
      if (shown === undefined) asked();
      else
        assert.throws(asked, (error: Error & { code?: string }) => {
          assert.ok(error.message.startsWith(`CorsGuard: '${shown}' lets anybody`), error.message);
          return error.code === "CONFIG_INVALID";
        });
    }
  });

  test("lets in by a pattern what the URL standard, too, takes for an origin below it", () => {
    const rules = new OriginRules(["https://*.app.example"], "origins");

    fc.assert(
      fc.property(fc.array(LABEL, { minLength: 1, maxLength: 5 }), (labels) => {
        const origin = `https://${labels.join(".")}.app.example`;
        // xn-- labels that decode to nothing.
        fc.pre(URL.canParse(origin));
        return rules.allows(origin);
      }),
    );
    fc.assert(
      fc.property(hostileOrigin("https://a.app.example"), (text) => {
        if (!rules.allows(text)) return;
        const { origin, protocol, hostname, port } = new URL(text);
        assert.deepEqual([origin, protocol, port], [text, "https:", ""]);
        assert.match(hostname, /^[^.].*\.app\.example$/);
      }),
      { numRuns: 300 },
    );
  });

  test("lets nothing in that may not stand in a header, whatever a function says", () => {
    const rules = new OriginRules([() => true], "origins");

    fc.assert(
      fc.property(hostileOrigin("https://a.app.example"), (text) => {
        if (rules.allows(text)) assert.match(text, /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._[\]:-]{1,290}$/);
      }),
      { numRuns: 300 },
    );
  });
});
