// A ferry's timetable, which pages of other origins use.

import { Axon, Framework, respond } from "framework";
import { CorsConfig, CorsGuard } from "framework/std";

const crossings = Axon.start("crossings").thenFn("list", () =>
  respond({ headers: { "x-total": "2" }, body: ["06:12", "18:40"] }),
);
const berths = Axon.start("berths").thenFn("count", () => ({ free: 3 }));

/** Pages of the ferry's own sites, with their cookies. */
const ownSites = CorsConfig.default()
  .allowOrigin("https://ferry.example")
  .allowOrigin("https://*.ferry.example")
  .allowMethods(["GET"])
  .exposeHeaders(["X-Total"])
  .maxAge(600)
  .withCredentials();

export const timetable = () =>
  Framework.http()
    .guard(new CorsGuard(ownSites))
    .get("/crossings", crossings)
    // Everybody's pages, without cookies: this route's guard in the place of the ingress's.
    .get("/berths", berths, { without: ["CorsGuard"], guards: [new CorsGuard()] });
