// A harbour: anybody can see which ship lies at a berth, skippers book one.

import {
  Axon,
  busKey,
  Framework,
  fault,
  IamError,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  ProblemDetail,
  param,
  respond,
  Type,
} from "framework";
import { AuthGuard } from "framework/std";

/** A resource: the ship at each berth, "" at a free one. */
const Berths = busKey<Map<string, string>>()("Berths");

const BerthId = Type.Object({ id: Type.String({ maxLength: 10 }) });
const Booking = Type.Object({ ship: Type.String({ minLength: 1, maxLength: 80 }) });

const unknown = new ProblemDetail({ status: 404, code: "BERTH_UNKNOWN", title: "There is no such berth" });
const taken = new ProblemDetail({ status: 409, code: "BERTH_TAKEN", title: "Another ship lies there" });

// The schema of an Axon on a GET route takes the path and the query.
const showBerth = Axon.start("show-berth", BerthId).thenFn(
  "find",
  { uses: { berths: Berths }, responses: [unknown] },
  ({ id }, { berths }) => {
    const ship = berths.get(id);
    return ship === undefined ? fault(unknown) : { id, ship };
  },
);

// On a POST route it takes the JSON body. The parameter of the path and the caller are on the Bus.
const bookBerth = Axon.start("book-berth", Booking)
  .thenFn(
    "book",
    { uses: { berths: Berths, id: param("id") }, responses: [unknown, taken] },
    ({ ship }, { berths, id }) => {
      const other = berths.get(id);
      if (other === undefined) return fault(unknown);
      if (other !== "") return fault(taken);
      berths.set(id, ship);
      return { id, ship };
    },
  )
  .thenFn("confirm", { uses: { skipper: IamIdentity }, responses: [{ status: 201 }] }, (berth, { skipper }) =>
    respond({ status: 201, body: { ...berth, by: skipper.subject } }),
  );

/** One token. A real verifier checks a signature: `JwtVerifier` of `framework/std`. */
const tokens: IamVerifier = {
  description: "the token of the harbour office",
  verify: (token) =>
    token === "tide-and-time"
      ? { subject: "Morag", roles: ["skipper"], claims: {} }
      : IamError.invalidToken("It is not the token of the office"),
};

export const harbour = () =>
  Framework.http({ resources: [Berths] })
    .get("/berths/:id", showBerth)
    .post("/berths/:id", bookBerth, { guards: [new AuthGuard(IamPolicy.requireRole("skipper"), tokens)] });
