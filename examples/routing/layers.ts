// Layers stand around all that a route does: they see its outcome, and may do without it.

import { Axon, authorize, Framework, header, isFault, layer, RequestPath } from "framework";

/** Tells how each request went. */
const watching = (tell: (line: string) => void) =>
  layer({
    name: "watching",
    reads: [RequestPath],
    async run(bus, next) {
      const outcome = await next();
      tell(`${bus.get(RequestPath)} ${isFault(outcome) ? "failed" : "went well"}`);
      return outcome;
    },
  });

/** False is 403; a fault would be what it says. Whatever else it answers is 500: nothing passes by mistake. */
const crewOnly = authorize((bus) => bus.find(header("x-team")) === "crew", {
  name: "crew-only",
  mayRead: [header("x-team")],
});

const log = Axon.start("log").thenFn("log", () => "Fair winds");

export const ship = (tell: (line: string) => void) =>
  Framework.http()
    .layer(watching(tell))
    .get("/log", log, { layers: [crewOnly] });
