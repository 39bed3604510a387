// An API with its documentation: the document is public, the page is for those who work here.

import {
  Axon,
  combine,
  cookie,
  Framework,
  fault,
  IamPolicy,
  type IamVerifier,
  multipart,
  ProblemDetail,
  path,
  respond,
  Type,
} from "framework";
import type { ExtractedOf } from "framework/http";

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

const Harbour = path(Type.Object({ harbour: Type.String({ maxLength: 40 }) }));

/** The page has a file picker for `gauge`, and generated clients have a typed property. */
const sighting = combine({
  place: Harbour,
  form: multipart({
    schema: Type.Object({ metres: Type.Number() }),
    files: { gauge: { required: true, types: ["image/jpeg", "image/png"], maxSize: 512 * 1024 } },
  }),
});

const report = Axon.start<ExtractedOf<typeof sighting>>("report")
  .thenFn(
    "keep",
    { responses: [unknownHarbour, { status: 201 }] },
    ({ place: { harbour }, form: { fields, files } }) => {
      if (!harbours.has(harbour)) return fault(unknownHarbour);
      return respond({ status: 201, body: { metres: fields.metres, photo_bytes: files.gauge.size } });
    },
  )
  .withOutputSchema(Type.Object({ metres: Type.Number(), photo_bytes: Type.Integer() }));

/** The cookie is what a browser sends when the page is opened: no Authorization header is. */
export const tides = (staff: IamVerifier) =>
  Framework.http()
    .get("/harbours/:harbour/tides", tidesOf, {
      input: Harbour,
      summary: "High water of today",
      tags: ["tides"],
    })
    .post("/harbours/:harbour/sightings", report, {
      input: sighting,
      summary: "A photograph of a tide gauge",
      tags: ["tides"],
    })
    .openapi("/openapi.json", { info: { title: "Tides", version: "1.0.0" } })
    .docs("/docs", {
      iam: { policy: IamPolicy.requireRole("staff"), verifier: staff, token: cookie("access") },
    });
