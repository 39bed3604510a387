import assert from "node:assert/strict";
import { test } from "node:test";

import { Sessions, type SessionsOptions } from "framework/std";

test("Sessions refuse what cannot work, when they are made", () => {
  const refused = (options: object, message: RegExp) =>
    assert.throws(
      () => new Sessions(options as SessionsOptions),
      { code: "CONFIG_INVALID", message },
      message.source,
    );

  refused({ idle: 1 }, /^Sessions: 'idle' .*; there are store, cookie, /);
  refused({ cookie: { path: "/x" } }, /'path' .*; there are name, sameSite, persistent$/);
  refused({ cookie: { name: "sid" } }, /begins with '__Host-', unlike 'sid'$/);
  refused({ cookie: { name: "__host-sid" } }, /begins with '__Host-'/);
  refused({ cookie: { name: "__Host-a b" } }, /a cookie's name is a token/);
  refused({ cookie: { sameSite: "none" } }, /sameSite is "lax" or "strict"$/);
  refused({ cookie: { persistent: 1 } }, /persistent is true or false$/);
  refused({ insecureCookie: 1 }, /insecureCookie is true or false$/);
  refused(
    { insecureCookie: true, cookie: { name: "__Host-sid" } },
    /browsers take '__Host-sid' over https alone/,
  );
  refused({ header: "x-sid", cookie: {} }, /in a cookie or in a header/);
  for (const header of ["authorization", "Cookie", "set-cookie", "cache-control"])
    refused({ header }, /: use one of your own$/);
  refused({ absoluteMs: 999 }, /absoluteMs .* from 1000 to /);
  refused({ idleMs: 43_200_001 }, /idleMs .* from 1000 to 43200000, and is 43200001$/);
  refused({ maxDataBytes: Number.NaN }, /maxDataBytes must be /);
  refused({ storeTimeoutMs: 0 }, /storeTimeoutMs must be /);
  refused({ now: 1 }, /now is a function$/);
  refused({ store: {} }, /store has no function 'create': .*, as in new MemorySessions\(\)$/);
  refused({ store: null }, /store has no function 'create'/);
  assert.throws(() => new Sessions({ header: "x-request-id" }), { code: "HEADER_INVALID" });
});
