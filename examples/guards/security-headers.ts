// A page with a script of its own, and no other.

import { Axon, Framework, html } from "framework";
import { SecurityHeaders } from "framework/core";
import { SecurityHeadersGuard, SecurityPolicy } from "framework/std";

const home = Axon.start("home").thenFn("draw", { uses: { securityHeaders: SecurityHeaders } }, (_, bus) =>
  html(`<h1>Tides</h1><script nonce="${bus.securityHeaders.nonce}">show()</script>`),
);

const policy = SecurityPolicy.default()
  .withCsp({ "img-src": ["'self'", "https://charts.example"] })
  .withNonce()
  .with({ "x-frame-options": "SAMEORIGIN", "x-dns-prefetch-control": false });

export const tides = () =>
  // Who ends TLS: without it no request is known to be https, and HSTS is never sent.
  Framework.http({ trustedProxies: ["10.0.0.0/8"] })
    .guard(new SecurityHeadersGuard(policy))
    .get("/", home);
