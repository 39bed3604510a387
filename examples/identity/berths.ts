// Decisions that are not the caller's alone: the hour, the path, and whose the thing is.

import {
  Axon,
  authorize,
  Framework,
  fault,
  guard,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  ProblemDetail,
  param,
  pass,
} from "framework";
import { AuthGuard } from "framework/std";

const closed = new ProblemDetail({ status: 403, code: "OFFICE_CLOSED", title: "Come back at 8" });

/** Before any guard, so that it knows the request and not the caller. */
const officeHours = (hour: () => number) =>
  authorize(() => (hour() >= 8 && hour() < 18 ? true : fault(closed)), {
    name: "office-hours",
    responses: [closed],
  });

const notYours = new ProblemDetail({ status: 403, code: "NOT_YOURS", title: "Another's berth" });

/** Behind the AuthGuard: the caller and the path together. */
const ownBerth = (owners: ReadonlyMap<string, string>) =>
  guard({
    name: "own-berth",
    uses: { identity: IamIdentity, berth: param("berth") },
    responses: [notYours],
    run: (input, bus) => (owners.get(bus.berth) === bus.identity.subject ? pass(input) : fault(notYours)),
  });

const leave = Axon.start("leave").thenFn(
  "leave",
  { uses: { berth: param("berth") } },
  (_, bus) => `${bus.berth} is free`,
);

export const berths = (tokens: IamVerifier, hour: () => number = () => new Date().getUTCHours()) =>
  Framework.http()
    .layer(officeHours(hour))
    .guard(new AuthGuard(IamPolicy.requireIdentity(), tokens))
    .post("/berths/:berth/leave", leave, { guards: [ownBerth(new Map([["B7", "ann"]]))] });
