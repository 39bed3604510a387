// A page with routes of its own, the files it is made of, and the API that it asks.

import { fileURLToPath } from "node:url";

import { Axon, Framework, fault, ProblemDetail, param } from "framework";
import { SecurityHeadersGuard } from "framework/std";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const harbours = new Map([
  [
    "brest",
    {
      name: "Brest",
      highWater: [
        { at: "06:12", metres: 6.9 },
        { at: "18:40", metres: 7.1 },
      ],
    },
  ],
  [
    "fundy",
    {
      name: "Fundy",
      highWater: [
        { at: "00:31", metres: 14.2 },
        { at: "12:55", metres: 14.6 },
      ],
    },
  ],
]);
const unknown = new ProblemDetail({ status: 404, code: "HARBOUR_UNKNOWN", title: "Nothing is known of it" });

const tidesAt = Axon.start("tides-at").thenFn(
  "look-up",
  { uses: { harbour: param("harbour") }, responses: [unknown] },
  (_, bus) => harbours.get(bus.harbour) ?? fault(unknown),
);

export const tides = () =>
  Framework.http()
    .guard(new SecurityHeadersGuard())
    .get("/api/tides/:harbour", tidesAt)
    // Their names hold a hash: they are immutable. Those beside them ending in .br and .gz go to who takes them.
    .serveDir("/assets", at("public/assets"))
    .serveDir("/charts", at("charts"), { index: false, cacheControl: "public, max-age=3600" })
    // "/", "/harbours/brest", and whatever else somebody goes to.
    .spaFallback(at("public/index.html"));
