// A ship's logbook: the crew logs in, and writes in it under its name.

import { Axon, Framework, fault, type IamIdentity, IamPolicy, ProblemDetail, Session, Type } from "framework";
import {
  CreateSession,
  CsrfGuard,
  CsrfTokenGuard,
  DestroySession,
  LoadSession,
  RotateSession,
  Sessions,
  type SessionsOptions,
  ValidateSession,
} from "framework/std";

import { sailorNamed } from "./crew.js";

const Login = Type.Object({ name: Type.String(), password: Type.String({ maxLength: 100 }) });
const Code = Type.Object({ code: Type.String() });
const Entry = Type.Object({ text: Type.String({ maxLength: 500 }) });

const wrong = new ProblemDetail({ status: 401, code: "LOGIN_WRONG", title: "Wrong name, password or code" });

export function logbook(options: SessionsOptions = {}) {
  const sessions = new Sessions(options);
  const entries: { readonly by: string; readonly text: string }[] = [];

  const login = Axon.start("login", Login)
    .thenFn(
      "check",
      { responses: [wrong] },
      async ({ name, password }) => (await sailorNamed(name, password)) ?? fault(wrong),
    )
    .then(new CreateSession<IamIdentity>(sessions, { identityOf: (sailor) => sailor }))
    .thenFn("greet", ({ subject }) => ({ welcome: subject }));

  const me = Axon.start("me").thenFn("show", { uses: { session: Session } }, (_, bus) => {
    const { identity, data, csrfToken } = bus.session;
    return { name: identity.subject, roles: identity.roles, written: data["written"] ?? 0, csrfToken };
  });

  const write = Axon.start("write", Entry)
    .thenFn("count", { uses: { session: Session } }, async (entry, bus) => {
      const { identity } = bus.session;
      const counted = await sessions.update(bus.session, (data) => ({
        ...data,
        written: Number(data["written"] ?? 0) + 1,
      }));
      return "data" in counted ? { by: identity.subject, text: entry.text } : counted;
    })
    .thenFn("write", (entry) => {
      entries.push(entry);
      return { entries: entries.length };
    });

  // What a session may do changes: it gets another id, and nobody who knows the old one has more.
  const takeCommand = Axon.start("take-command", Code)
    .thenFn("check", { responses: [wrong] }, ({ code }) => (code === "4711" ? "captain" : fault(wrong)))
    .then(
      new RotateSession<string>(sessions, {
        identityOf: (role, { identity }) => ({ ...identity, roles: [...identity.roles, role] }),
      }),
    )
    .thenFn("confirm", (role) => ({ role }));

  const strike = Axon.start("strike").thenFn("strike", () => ({ struck: entries.splice(0).length }));
  const logout = Axon.start("logout").then(new DestroySession(sessions)).withOutputSchema(Type.Void());
  const logoutEverywhere = Axon.start("logout-everywhere")
    .then(new DestroySession(sessions, { everywhere: true }))
    .withOutputSchema(Type.Void());

  return (
    Framework.http()
      // The login has no session yet whose token a page could send.
      .guard(new CsrfGuard())
      .post("/login", login)
      .post("/logout", logout)
      .group(
        "/crew",
        { guards: [new LoadSession(sessions), new CsrfTokenGuard(), new ValidateSession()] },
        (crew) =>
          crew
            .get("/me", me)
            .post("/entries", write)
            .post("/command", takeCommand)
            .post("/logout-everywhere", logoutEverywhere)
            .delete("/entries", strike, { guards: [new ValidateSession(IamPolicy.requireRole("captain"))] }),
      )
  );
}
