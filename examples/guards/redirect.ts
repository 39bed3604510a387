// A site that has moved: to https, to one name, and from the paths it once had.

import { Axon, Framework } from "framework";
import { RedirectGuard } from "framework/std";

const home = Axon.start("home").thenFn("show", () => "Harbour office");
const challenge = Axon.start("challenge").thenFn("answer", () => "token");

export const office = () =>
  Framework.http({ trustedProxies: ["10.0.0.0/8"] })
    .guard(
      RedirectGuard.toHttps({
        hosts: ["harbour.example", "www.harbour.example"],
        except: ["/.well-known/acme-challenge"],
      }),
    )
    .guard(RedirectGuard.toHost("harbour.example", { except: ["/.well-known/acme-challenge"] }))
    .guard(RedirectGuard.prefix("/pilotage", "/pilots"))
    .get("/", home)
    .get("/.well-known/acme-challenge/token", challenge);
