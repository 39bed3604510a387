import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Axon, header, isFault, RequestMethod } from "framework";
import { OwnOrigin, RequestOrigin } from "framework/core";
import { AxonTestKit } from "framework/runtime";
import { CsrfGuard, type CsrfOptions, GuardFault } from "framework/std";
import { hostileOrigin } from "../../support/hostile-origin.js";

const OWN = "https://app.example";
const PARTNER = "https://partner.example";

interface Sent {
  readonly method?: string;
  readonly origin?: string;
  readonly site?: string;
  readonly cookie?: string;
}

/** Whether the guard lets a request in: a POST, unless it says otherwise. */
async function admits(
  options: CsrfOptions,
  { method = "POST", origin, site, cookie }: Sent,
): Promise<boolean> {
  const kit = new AxonTestKit().set(RequestMethod, method).set(OwnOrigin, OWN);
  if (origin !== undefined) kit.set(RequestOrigin, origin);
  if (site !== undefined) kit.set(header("sec-fetch-site"), site);
  if (cookie !== undefined) kit.set(header("cookie"), cookie);
  const { outcome } = await kit.run(Axon.start<string>("form").then(new CsrfGuard(options)), "input");
  if (!isFault(outcome)) return outcome === "input";
  assert.ok(outcome.error instanceof GuardFault && outcome.error.code === "CSRF_REFUSED");
  assert.equal(outcome.error.toReply().status, 403);
  return false;
}

const forged: Sent = { origin: "https://evil.example", site: "cross-site", cookie: "sid=1" };

describe("CsrfGuard", () => {
  test("is drawn with whom it lets in", () => {
    const drawn = (options?: CsrfOptions) =>
      Axon.start<string>("form").then(new CsrfGuard(options)).schematic().nodes[1]?.description;

    assert.equal(drawn(), "Changes by pages of its own, and of an unknown source without cookies");
    assert.equal(
      drawn({ trustedOrigins: [PARTNER, () => true], allowSameSite: true, unknownSource: "refuse" }),
      "Changes by pages of its own, the same site, https://partner.example, those of a function",
    );
    assert.match(String(drawn({ unknownSource: "pass" })), /, and of an unknown source$/);
  });

  test("refuses each unsafe method of another site's page, and no safe one", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "get", "FOO"])
      assert.equal(await admits({}, { ...forged, method }), false, method);
    for (const method of ["GET", "HEAD", "OPTIONS"])
      assert.equal(await admits({}, { ...forged, method }), true, method);
  });

  test("lets in what the browser says one's own pages or the user sent", async () => {
    for (const site of ["same-origin", "none"])
      for (const origin of [OWN, "null", undefined])
        assert.equal(await admits({}, { site, cookie: "sid=1", ...(origin && { origin }) }), true, site);
    for (const site of ["same-site", "cross-site", "Same-Origin", "same-origin, none", "\0"])
      assert.equal(await admits({}, { site, origin: OWN, cookie: "sid=1" }), false, site);
  });

  test("lets pages of the same site in where that is allowed", async () => {
    const sent: Sent = { site: "same-site", origin: "https://blog.app.example", cookie: "sid=1" };

    assert.equal(await admits({ allowSameSite: true }, sent), true);
    assert.equal(await admits({}, sent), false);
    assert.equal(await admits({ allowSameSite: true }, forged), false);
  });

  test("goes by the origin where a browser says nothing of the site", async () => {
    assert.equal(await admits({}, { origin: OWN, cookie: "sid=1" }), true);
    for (const origin of ["null", "http://app.example", `${OWN}:8443`, `${OWN}.evil.example`, PARTNER])
      assert.equal(await admits({}, { origin, cookie: "sid=1" }), false, origin);
    assert.equal(await admits({}, { origin: PARTNER }), false, "without cookies too");
  });

  test("lets pages of trusted origins in, whatever the site", async () => {
    const options: CsrfOptions = { trustedOrigins: [PARTNER, "https://*.friends.example"] };

    for (const origin of [PARTNER, "https://a.friends.example"])
      for (const site of ["cross-site", "same-site", undefined])
        assert.equal(await admits(options, { origin, cookie: "sid=1", ...(site && { site }) }), true);
    assert.equal(await admits(options, forged), false);
  });

  test("lets in what says nothing of where it is from, unless it has cookies", async () => {
    for (const nothing of [{}, { origin: "" }, { site: "" }]) {
      assert.equal(await admits({}, nothing), true);
      assert.equal(await admits({}, { ...nothing, cookie: "sid=1" }), false);
      assert.equal(await admits({ unknownSource: "pass" }, { ...nothing, cookie: "sid=1" }), true);
      assert.equal(await admits({ unknownSource: "refuse" }, nothing), false);
    }
    assert.equal(await admits({ unknownSource: "pass" }, forged), false);
  });

  test("lets nothing in by an origin that only looks like one's own or a trusted one", async () => {
    const options: CsrfOptions = { trustedOrigins: [PARTNER] };

    await fc.assert(
      fc.asyncProperty(
        fc.oneof(hostileOrigin(OWN), hostileOrigin(PARTNER)),
        async (origin) =>
          (await admits(options, { origin, cookie: "sid=1" })) === (origin === OWN || origin === PARTNER),
      ),
    );
  });

  test("refuses options that it cannot work with", () => {
    const wrong: readonly [unknown, RegExp][] = [
      [{ trustedOrigins: ["null"] }, /"null": leave it out/],
      [{ trustedOrigins: "https://partner.example" }, /^CsrfGuard: 'https:\/\/partner\.example'; write/],
      [{ trustedOrigins: ["https://*.com"] }, /^CsrfGuard, trustedOrigins: .* lets anybody/],
      [{ trustedOrigins: ["*"] }, /^CsrfGuard: '\*'/],
      [{ trustedOrigins: ["https://partner.example/"] }, /without a path/],
      [{ allowSameSite: "no" }, /allowSameSite no: give true or false/],
      [{ trustedOrigin: ["https://partner.example"] }, /'trustedOrigin' .*; there are trustedOrigins/],
      [{ unknownSource: "allow" }, /unknownSource 'allow': give without-cookies, pass, refuse/],
    ];

    for (const [options, message] of wrong)
      assert.throws(() => new CsrfGuard(options as CsrfOptions), { code: "CONFIG_INVALID", message });
  });
});
