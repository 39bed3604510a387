// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import { Axon, Framework, IamIdentity, type IamPolicy, Session } from "framework";
import {
  CreateSession,
  CsrfTokenGuard,
  DestroySession,
  LoadSession,
  RotateSession,
  Sessions,
  ValidateSession,
} from "framework/std";

declare const policy: IamPolicy;
const sessions = new Sessions();
const load = new LoadSession(sessions);
const show = Axon.start("show").thenFn("show", (_, bus) => bus.get(Session).identity.subject, {
  reads: [Session],
});
const who = Axon.start("who").thenFn("who", (_, bus) => bus.find(IamIdentity)?.subject, {
  mayRead: [IamIdentity],
});
const rotate = Axon.start("rotate").then(new RotateSession(sessions));

Framework.http().get("/", show, { guards: [load, new ValidateSession(policy)] });
Framework.http()
  .guard(load)
  .get("/", who)
  .get("/show", show, { guards: [new ValidateSession()] });
Framework.http().guard(load).guard(new CsrfTokenGuard()).guard(new ValidateSession()).post("/rotate", rotate);
// What a login makes, the steps behind it can read.
Framework.http().post(
  "/",
  Axon.start("login").then(new CreateSession(sessions)).subgraph(show).then(new DestroySession(sessions)),
);

// @ts-expect-error nobody says that there is a session
Framework.http().get("/", show);
// @ts-expect-error LoadSession finds one or none
Framework.http().get("/", show, { guards: [load] });
// @ts-expect-error nobody has looked for one
Framework.http().get("/", who, { guards: [new ValidateSession()] });
// @ts-expect-error nobody has looked for one
Framework.http().get("/", who, { guards: [new CsrfTokenGuard()] });
// @ts-expect-error there may be none to rotate
Framework.http().guard(load).post("/", rotate);
Framework.http().post(
  "/",
  // @ts-expect-error behind a logout nobody is logged in
  Axon.start("out").then(new CreateSession(sessions)).then(new DestroySession(sessions)).subgraph(show),
);
// @ts-expect-error an identity has roles
new CreateSession(sessions, { identityOf: () => ({ subject: "ann", claims: {} }) });
