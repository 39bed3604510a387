// What the wire tests of security headers and redirects talk to.

import { Axon, bytes, Framework, html, SecurityHeaders } from "framework";
import { RedirectGuard, SecurityHeadersGuard, SecurityPolicy } from "framework/std";
import type { Options } from "./served.js";

const page = Axon.start("page").thenFn("render", (_, bus) => html(bus.get(SecurityHeaders).nonce ?? ""), {
  reads: [SecurityHeaders],
});
const hello = Axon.start("hello").thenFn("greet", () => "hello");
const toHttps = RedirectGuard.toHttps({ hosts: ["a.example", "b.example"] });

export const ingress = (options: Options) =>
  Framework.http({ trustedProxies: ["127.0.0.1"], ...options })
    .bind("127.0.0.1:0")
    .guard(new SecurityHeadersGuard(SecurityPolicy.default().withNonce()))
    .get("/page", page)
    .post("/bytes", Axon.start<Uint8Array>("bytes"), { input: bytes(), bodyLimit: 4 })
    .group("/secure", { guards: [toHttps] }, (group) => group.get("/*rest", hello))
    .group("/old", { guards: [RedirectGuard.prefix("/old", "/")] }, (group) => group.get("/*rest", hello));
