// A lock-keeper's house: known addresses at the controls, and no known nuisance anywhere.

import { Axon, Framework } from "framework";
import { IpFilterGuard } from "framework/std";

const level = Axon.start("level").thenFn("read", () => "2.12 m");
const opening = Axon.start("opening").thenFn("open", () => "The gate opens");

/** Replaced while it serves: `nuisances.replace(await list())`. */
export const nuisances = IpFilterGuard.denyList([]);

export const lock = () =>
  // Behind a proxy the socket's address is the proxy's: it has to be named, and says who the client is.
  Framework.http({ trustedProxies: ["10.0.0.1"] })
    .guard(nuisances)
    .get("/level", level)
    .group(
      "/controls",
      { guards: [IpFilterGuard.allowList(["192.0.2.0/24", "2001:db8:7::/48"])] },
      (controls) => controls.post("/gate", opening),
    );
