// A service whose clients log in by their name alone, and what its tests ask of it.

import { Axon, Framework, fault, json, ProblemDetail, Session, Type } from "framework";
import { IamIdentity, type SessionData, SessionLookup } from "framework/core";
import {
  CreateSession,
  CsrfTokenGuard,
  DestroySession,
  LoadSession,
  RotateSession,
  Sessions,
  type SessionsOptions,
  ValidateSession,
} from "framework/std";

const Login = Type.Object({ name: Type.String(), until: Type.Optional(Type.Number()) });
const Change = Type.Object({ name: Type.String(), value: Type.Unknown() });

interface Login {
  readonly name: string;
  readonly until?: number;
}

const identityOf = ({ name, until }: Login): IamIdentity => ({
  subject: name,
  roles: ["user"],
  claims: {},
  ...(until !== undefined && { expiresAt: until }),
});

export function sessionApp(options: SessionsOptions = {}, http: object = {}) {
  const sessions = new Sessions(options);
  const load = new LoadSession(sessions);
  const inSession = { guards: [load, new ValidateSession()] };

  const login = Axon.start<Login>("login")
    .then(new CreateSession<Login>(sessions, { identityOf, dataOf: ({ name }) => ({ of: name }) }))
    .thenFn("greet", ({ name }) => `hello ${name}`);
  const whoami = Axon.start("whoami").thenFn(
    "say",
    (_, bus) => bus.find(IamIdentity)?.subject ?? `nobody, ${bus.get(SessionLookup).kind}`,
    { reads: [SessionLookup], mayRead: [IamIdentity] },
  );
  const show = Axon.start("show").thenFn(
    "show",
    (_, bus) => {
      const { identity, data, version, createdAt, expiresAt, idleUntil } = bus.get(Session);
      return {
        subject: identity.subject,
        roles: identity.roles,
        data,
        version,
        createdAt,
        expiresAt,
        idleUntil,
      };
    },
    { reads: [Session] },
  );
  const token = Axon.start("token").thenFn("token", (_, bus) => bus.get(Session).csrfToken, {
    reads: [Session],
  });
  const change = Axon.start<{ name: string; value: unknown }>("change").thenFn(
    "change",
    async ({ name, value }, bus) => {
      const add = (data: SessionData) => ({ ...data, [name]: value }) as SessionData;
      const updated = await sessions.update(bus.get(Session), add);
      return "data" in updated ? updated.data : updated;
    },
    { reads: [Session] },
  );
  const rotate = Axon.start("rotate")
    .then(
      new RotateSession(sessions, {
        identityOf: (_, { identity }) => ({ ...identity, roles: [...identity.roles, "admin"] }),
      }),
    )
    .thenFn("say", () => "rotated");
  const logout = Axon.start("logout")
    .then(new DestroySession(sessions))
    .thenFn("say", () => "bye");
  const everywhere = Axon.start("everywhere")
    .then(new DestroySession(sessions, { everywhere: true }))
    .thenFn("say", () => "bye everywhere");
  const failing = Axon.start<Login>("failing")
    .then(new CreateSession<Login>(sessions, { identityOf }))
    .thenFn("fail", () => fault(new ProblemDetail({ status: 409, code: "LATE", title: "Too late" })));

  const ingress = Framework.http(http)
    .post("/login", login, { input: json(Login) })
    .post("/failing", failing, { input: json(Login) })
    .get("/whoami", whoami, { guards: [load] })
    .get("/me", show, inSession)
    .get("/token", token, inSession)
    .post("/data", change, { input: json(Change), ...inSession })
    .post("/guarded", token, { guards: [load, new CsrfTokenGuard(), new ValidateSession()] })
    .post("/unguarded", whoami, { guards: [load, new CsrfTokenGuard()] })
    .post("/rotate", rotate, inSession)
    .post("/logout", logout)
    .post("/logout-everywhere", everywhere);
  return { ingress, sessions };
}
