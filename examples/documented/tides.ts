// An API with its documentation: the document is public, the page is for those who work here.

import {
  Axon,
  cookie,
  Framework,
  fault,
  IamPolicy,
  type IamVerifier,
  ProblemDetail,
  path,
  Type,
} from "framework";

const Tide = Type.Object({
  at: Type.String({ description: "Local time", examples: ["06:12"] }),
  metres: Type.Number({ minimum: -2, maximum: 16 }),
});

const harbours = new Map([["brest", [{ at: "06:12", metres: 6.9 }]]]);

const unknownHarbour = new ProblemDetail({
  status: 404,
  code: "HARBOUR_UNKNOWN",
  title: "There is no such harbour",
});

const tidesOf = Axon.start<{ harbour: string }>("tides-of")
  .thenFn(
    "find",
    { responses: [unknownHarbour] },
    ({ harbour }) => harbours.get(harbour) ?? fault(unknownHarbour),
  )
  .withOutputSchema(Type.Array(Tide));

/** The cookie is what a browser sends when the page is opened: no Authorization header is. */
export const tides = (staff: IamVerifier) =>
  Framework.http()
    .get("/harbours/:harbour/tides", tidesOf, {
      input: path(Type.Object({ harbour: Type.String({ maxLength: 40 }) })),
      summary: "High water of today",
      tags: ["tides"],
    })
    .openapi("/openapi.json", { info: { title: "Tides", version: "1.0.0" } })
    .docs("/docs", {
      iam: { policy: IamPolicy.requireRole("staff"), verifier: staff, token: cookie("access") },
    });
