import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { Axon, CookieKeys, encryptedCookie, Framework, respond, Secret, signedCookie } from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";
import type { SealedCookieKey } from "#http/answer/cookies/sealed-cookie.js";
import { anyText } from "../../../support/any-text.js";

const secretOf = (text: string) => new Secret(text.repeat(32));
const old = { id: "2025", secret: secretOf("o") };
const current = { id: "2026", secret: secretOf("c") };
const keys = new CookieKeys([current, old]);
const clock = { ms: 1_000_000_000 };
const timed = new CookieKeys([current], { now: () => clock.ms });

const KINDS = { signedCookie, encryptedCookie };

/** What a browser would send back. */
const sent = (line: string): string => line.slice(0, line.indexOf(";"));
const reader = (key: unknown) => (header: string) =>
  (key as InstanceType<typeof SealedCookieKey>).read(header);

for (const [name, make] of Object.entries(KINDS)) {
  describe(name, () => {
    const sid = make("sid", keys);
    const read = reader(sid);
    const seal = (value: string) => sent(sid.set(value).line);

    test("gives back any text that it wrote", () => {
      fc.assert(
        fc.property(anyText({ maxLength: 200 }), (value) => {
          fc.pre(!/\p{Surrogate}/u.test(value));
          assert.equal(read(`x=1; ${seal(value)}; y=2`), value);
        }),
      );
      assert.equal(read(seal("")), "");
    });

    test("is absent where any bit of it is flipped", () => {
      fc.assert(
        fc.property(fc.string({ maxLength: 30 }), fc.nat(), fc.nat(7), (value, place, bit) => {
          const sealed = seal(value);
          const at = "sid=".length + (place % (sealed.length - "sid=".length));
          const flipped = String.fromCharCode(sealed.charCodeAt(at) ^ (1 << bit));

          assert.equal(read(sealed.slice(0, at) + flipped + sealed.slice(at + 1)), undefined);
        }),
        { numRuns: 2000 },
      );
    });

    test("is absent where any of its last characters is another", () => {
      const sealed = seal("a");
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.";
      for (const other of [...alphabet].filter((character) => !sealed.endsWith(character)))
        assert.equal(read(sealed.slice(0, -1) + other), undefined, other);
      for (const end of ["=", "==", ".", " .", "A"]) assert.equal(read(sealed + end), undefined, end);
    });

    test("is absent where it is cut, empty, or none of ours", () => {
      const sealed = seal("value");
      for (let end = 4; end < sealed.length; end += 1) assert.equal(read(sealed.slice(0, end)), undefined);
      fc.assert(fc.property(fc.string(), (text) => assert.equal(read(`sid=${text}`), undefined)));
      assert.equal(read("other=1"), undefined);
      assert.equal(read(`sid=${"A".repeat(10_000)}`), undefined);
    });

    test("is absent under another name, and in the other kind of cookie", () => {
      const [, value] = seal("admin").split("=") as [string, string];
      const other = name === "signedCookie" ? encryptedCookie : signedCookie;

      assert.equal(reader(make("role", keys))(`role=${value}`), undefined);
      assert.equal(reader(other("sid", keys))(`sid=${value}`), undefined);
    });

    test("is read with every key and written with the first: keys can be rotated", () => {
      const before = sent(make("sid", new CookieKeys([old])).set("v").line);
      const after = seal("v");
      const without = make("sid", new CookieKeys([current]));

      assert.equal(read(before), "v");
      assert.equal(reader(without)(after), "v");
      assert.equal(reader(without)(before), undefined);
      assert.equal(without.refused.unknownKey, 1);
      const impostor = new CookieKeys([{ id: "2026", secret: secretOf("i") }]);
      assert.equal(reader(make("sid", impostor))(after), undefined);
    });

    test("expires by the server's clock", () => {
      clock.ms = 1_000_000_000;
      const brief = make("sid", timed, { maxAge: 60 });
      const sealed = sent(brief.set("v").line);

      assert.match(brief.set("v").line, /Max-Age=60/);
      clock.ms += 59_999;
      assert.equal(reader(brief)(sealed), "v");
      clock.ms += 1;
      assert.equal(reader(brief)(sealed), undefined);
      assert.deepEqual(brief.refused, { malformed: 0, unknownKey: 0, forged: 0, expired: 1 });
    });

    test("counts why it was not taken", () => {
      const counted = make("sid", keys);
      const readCounted = reader(counted);
      const sealed = seal("v");
      const tail = sealed.at(-5) === "A" ? "B" : "A";
      readCounted("sid=nonsense");
      readCounted(sealed.replace("2026", "1999"));
      readCounted(sealed.slice(0, -5) + tail + sealed.slice(-4));
      readCounted("other=1");

      assert.deepEqual(counted.refused, { malformed: 1, unknownKey: 1, forged: 1, expired: 0 });
    });

    test("shows what is wrong with it where it is declared, and a value that is too long where it is set", () => {
      assert.throws(() => make("a b", keys), { code: "COOKIE_INVALID" });
      assert.throws(() => make("__Host-a", keys, { path: "/x" }), { code: "COOKIE_INVALID" });
      assert.throws(() => sid.set("x".repeat(4000)), {
        code: "COOKIE_INVALID",
        message: /Cookie "sid": it has/,
      });
      assert.throws(() => sid.set("\ud800"), { code: "COOKIE_INVALID" });
      assert.equal(read(seal("日".repeat(700))), "日".repeat(700));
    });

    test("is read by steps, and required by get", async () => {
      const ingress = Framework.http()
        .get(
          "/find",
          Axon.start("find").thenFn("find", (_, bus) => bus.find(sid) ?? "nobody", { mayRead: [sid] }),
        )
        .get(
          "/get",
          Axon.start("get").thenFn("get", (_, bus) => bus.get(sid), { reads: [sid] }),
        )
        .post(
          "/",
          Axon.start("set").thenFn("set", { responses: [{ status: 204 }] }, () =>
            respond({ cookies: [sid.set("ada"), sid.delete()] }),
          ),
        );
      const app = new TestApp(ingress);
      const line = (await app.post("/")).headers["set-cookie"] ?? "";
      const cookies = { cookie: sent(line) };

      assert.match(line, /^sid=2026\.[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax, sid=; Max-Age=0;/);
      assert.equal((await app.get("/find", { headers: cookies })).text, "ada");
      assert.equal((await app.get("/find", { headers: { cookie: "sid=ada" } })).text, "nobody");
      assert.equal((await app.get("/get", { headers: cookies })).text, "ada");
      const { problem } = await app.get("/get", { headers: { cookie: "sid=ada" } });
      assert.deepEqual([problem.status, problem.code], [400, "HEADER_MISSING"]);
      assert.match(problem.detail ?? "", /needs the (signed|encrypted) cookie 'sid'/);
    });

    test("is a key that a test kit can set", async () => {
      const axon = Axon.start("find").thenFn("find", (_, bus) => bus.get(sid), { reads: [sid] });

      assert.equal((await new AxonTestKit().set(sid, "ada").run(axon, undefined)).outcome, "ada");
    });
  });
}

describe("a sealed cookie of an earlier release", () => {
  test("is still read", () => {
    const ada = "2026.LmFkYQ";

    assert.equal(sent(signedCookie("sid", keys).set("ada").line).slice(0, ada.length + 4), `sid=${ada}`);
    assert.equal(
      reader(signedCookie("sid", keys))(`sid=${ada}.4xhnAUUmrAVAjhNPBneX9Sn10Cf5yq3vh2Kzhgiajiw`),
      "ada",
    );
    assert.equal(
      reader(encryptedCookie("sid", keys))("sid=2026.jlnIX3Z-vyyyB19K7qf7_iXTXgfeu1zhGo9wXUdsuCE"),
      "ada",
    );
  });
});

describe("an encrypted cookie", () => {
  test("shows nothing of its value, and not twice the same", () => {
    const sid = encryptedCookie("sid", keys);
    const [first, second] = [sent(sid.set("ada").line), sent(sid.set("ada").line)];

    assert.notEqual(first, second);
    assert.ok(!Buffer.from(first.split(".")[1] ?? "", "base64url").includes("ada"));
  });
});
