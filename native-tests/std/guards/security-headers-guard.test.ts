import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, SecurityHeaders } from "framework";
import { AxonTestKit } from "framework/runtime";
import { SecurityHeadersGuard, type SecurityHeadersOptions, SecurityPolicy } from "framework/std";

/** What a run of the guard writes: the nonce, and the policy that the answer carries. */
async function ask(guard: SecurityHeadersGuard) {
  const axon = Axon.start<string>("page").then(guard);
  const { outcome, bus } = await new AxonTestKit().run(axon, "input");
  assert.equal(outcome, "input");
  const written = bus.find(SecurityHeaders);
  const [header] = guard.responseHeaders.written ?? [];
  return { nonce: written?.nonce, csp: header?.textOf(written as never) };
}

const withNonce = (csp?: string, options?: SecurityHeadersOptions) => {
  const policy = SecurityPolicy.default();
  return new SecurityHeadersGuard((csp === undefined ? policy : policy.withCsp(csp)).withNonce(), options);
};

describe("SecurityHeadersGuard", () => {
  test("declares the headers of its policy, and HSTS for https alone", () => {
    const { "strict-transport-security": hsts = "", ...always } = SecurityPolicy.default().headers;

    for (const guard of [new SecurityHeadersGuard(), new SecurityHeadersGuard(SecurityPolicy.default())])
      assert.deepEqual(guard.responseHeaders, { always, overHttps: { "strict-transport-security": hsts } });
    assert.equal(Object.keys(always).length, 11);
  });

  test("declares none over https where HSTS is switched off", () => {
    const policy = SecurityPolicy.default().with({ "strict-transport-security": false });

    assert.equal(new SecurityHeadersGuard(policy).responseHeaders.overHttps, undefined);
  });

  test("lets its input pass, and tells steps that there is no nonce", async () => {
    assert.deepEqual(await ask(new SecurityHeadersGuard()), { nonce: undefined, csp: undefined });
  });

  test("makes a nonce for each run, and names it for scripts and styles", async () => {
    const guard = withNonce();
    const { nonce = "", csp } = await ask(guard);

    assert.match(nonce, /^[A-Za-z0-9_-]{24}$/);
    assert.equal(
      csp,
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; " +
        `script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'`,
    );
    const seen = new Set<string | undefined>([nonce]);
    for (let i = 0; i < 1000; i += 1) seen.add((await ask(guard)).nonce);
    assert.equal(seen.size, 1001);
  });

  test("keeps the policy without a nonce for answers that it has not run for", () => {
    const { always = {} } = withNonce().responseHeaders;

    assert.equal(
      always["content-security-policy"],
      SecurityPolicy.default().headers["content-security-policy"],
    );
    assert.doesNotMatch(JSON.stringify(always), /nonce/);
  });

  test("leaves the policy to a guard further in that has no nonce", async () => {
    const axon = Axon.start<string>("page").then(withNonce()).then(new SecurityHeadersGuard());
    const { bus } = await new AxonTestKit().run(axon, "input");
    const [header] = withNonce().responseHeaders.written ?? [];

    assert.equal(header?.textOf(bus.find(SecurityHeaders) as never), undefined);
  });

  test("adds the nonce to what scripts and styles are allowed otherwise", async () => {
    for (const [csp, expected] of [
      ["default-src 'none'", "default-src 'none'; script-src 'nonce-N'; style-src 'nonce-N'"],
      ["img-src *", "img-src *; script-src 'nonce-N'; style-src 'nonce-N'"],
      [
        "script-src 'strict-dynamic'; style-src 'none'; default-src *",
        "script-src 'strict-dynamic' 'nonce-N'; style-src 'nonce-N'; default-src *",
      ],
      [
        "script-src-elem 'none'; style-src-elem a; script-src b; style-src c",
        "script-src-elem 'nonce-N'; style-src-elem a 'nonce-N'; script-src b 'nonce-N'; style-src c 'nonce-N'",
      ],
    ] as const) {
      const { nonce = "", csp: sent } = await ask(withNonce(csp));
      assert.equal(sent?.replaceAll(nonce, "N"), expected);
    }
  });

  test("stays with its nonce whatever of the policy changes afterwards", async () => {
    const policy = SecurityPolicy.default()
      .withNonce()
      .with({ "x-frame-options": false })
      .withCsp("img-src *");
    const { nonce, csp } = await ask(new SecurityHeadersGuard(policy));

    assert.equal(csp, `img-src *; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`);
  });

  test("takes its randomness from whom it is given, each byte once", async () => {
    const drawn: number[] = [];
    let byte = 0;
    const guard = withNonce(undefined, {
      randomBytes: (size) => {
        drawn.push(size);
        return Uint8Array.from({ length: size }, () => (byte++ * 7) % 256);
      },
    });
    const asked = 300;
    let told = "";
    for (let i = 0; i < asked; i += 1) told += (await ask(guard)).nonce;

    const expected = Uint8Array.from({ length: asked * 18 }, (_, i) => (i * 7) % 256);
    assert.equal(told, Buffer.from(expected).toString("base64url"));
    assert.ok(drawn.length > 1, "drawn again when all were given out");
  });

  test("refuses what is no policy", () => {
    assert.throws(() => new SecurityHeadersGuard({} as never), {
      code: "CONFIG_INVALID",
      message: /SecurityPolicy\.default\(\)/,
    });
  });

  test("refuses randomness that answers too little, before any request", () => {
    assert.throws(() => withNonce(undefined, { randomBytes: () => new Uint8Array(16) }), {
      code: "CONFIG_INVALID",
      message: /as many bytes as size says, not 16/,
    });
  });
});
