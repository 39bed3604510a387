// Policies and sessions.

import { Axon, IamError, IamPolicy, type IamVerifier, param } from "framework";
import {
  ApiKeyGuard,
  AuthGuard,
  CreateSession,
  CsrfTokenGuard,
  DestroySession,
  LoadSession,
  RotateSession,
  Sessions,
  ValidateSession,
} from "framework/std";
import type { Asked } from "../matrix-request.js";
import { ingress, nothing, OK, row, type Send } from "./rows.js";

const verifier: IamVerifier = {
  verify: (token) =>
    token === "down"
      ? IamError.verifierUnavailable("planted")
      : token === "bad"
        ? IamError.invalidToken("planted")
        : {
            subject: token,
            roles: token === "admin" ? ["admin"] : [],
            claims: token === "admin" ? { team: "ops", scope: "read" } : {},
          },
};
const bearer = (token: string): Asked => ({ headers: { authorization: `Bearer ${token}` } });
const FREE: Asked = { headers: { authorization: [] } };
row(
  "GET /iam/identity",
  nothing("iam-identity").withIam(IamPolicy.requireIdentity(), verifier),
  {},
  bearer("ada"),
  { 200: OK, 401: FREE },
);
row(
  "GET /iam/role",
  nothing("iam-role").withIam(IamPolicy.requireRole("admin"), verifier),
  {},
  bearer("admin"),
  { 200: OK, 401: bearer("bad"), 403: bearer("ada") },
);
row(
  "GET /iam/claims",
  nothing("iam-claims"),
  { iam: { policy: IamPolicy.requireClaims(["team"]), verifier } },
  bearer("admin"),
  { 200: OK, 401: FREE, 403: bearer("ada") },
);
row(
  "GET /iam/any",
  nothing("iam-any").withIam(
    IamPolicy.anyOf(IamPolicy.requireRole("admin"), IamPolicy.requireScopes(["write"])),
    verifier,
  ),
  {},
  bearer("admin"),
  { 200: OK, 401: FREE, 403: bearer("ada") },
);
row("GET /iam/none", nothing("iam-none").withIam(IamPolicy.none(), verifier), {}, {}, { 200: bearer("bad") });
row(
  "GET /iam/strict",
  nothing("iam-strict").withIam(IamPolicy.none({ strict: true }), verifier),
  {},
  {},
  { 200: FREE, 401: bearer("bad") },
);
row(
  "GET /iam/guard",
  nothing("iam-guard"),
  { guards: [new AuthGuard(IamPolicy.requireRole("admin"), verifier)] },
  bearer("admin"),
  { 200: OK, 401: FREE, 403: bearer("ada") },
);
row(
  "GET /iam/key",
  nothing("iam-key"),
  { guards: [new ApiKeyGuard(verifier)] },
  { headers: { "x-api-key": "k" } },
  { 200: OK, 401: { headers: { "x-api-key": "bad" } } },
);

// Sessions
const sessions = new Sessions({ header: "x-session", maxDataBytes: 100 });
const ada = { subject: "ada", roles: [], claims: {} };
const login = Axon.start<void>("login")
  .thenFn("read", (_, bus) => bus.get(param("kind")), { reads: [param("kind")] })
  .then(
    new CreateSession<string>(sessions, {
      identityOf: (kind) => (kind === "late" ? { ...ada, expiresAt: 1 } : ada),
      dataOf: (kind) => (kind === "large" ? { text: "x".repeat(200) } : {}),
    }),
  );
row(
  "POST /session/login/:kind",
  login,
  {},
  {},
  {
    200: OK,
    401: { path: "/session/login/late" },
    422: { path: "/session/login/large" },
  },
);
/** A new session, and what has it. */
async function inSession(send: Send): Promise<Asked> {
  const { headers } = await send({ method: "POST", path: "/session/login/1" });
  return { headers: { "x-session": headers["x-session"] as string } };
}
const loaded = [new LoadSession(sessions), new ValidateSession()];
row(
  "GET /session/mine",
  nothing("mine"),
  { guards: loaded },
  {},
  {
    200: async (send) => send(await inSession(send)),
    401: OK,
  },
);
row(
  "POST /session/token",
  nothing("token"),
  { guards: [new LoadSession(sessions), new CsrfTokenGuard()] },
  {},
  { 200: OK, 403: async (send) => send(await inSession(send)) },
);
const rotate = Axon.start<void>("rotate").then(new RotateSession(sessions));
ingress.post("/session/rotate", rotate, { guards: loaded });
row(
  "POST /session/logout",
  nothing("logout").then(new DestroySession(sessions)),
  {},
  {},
  {
    200: OK,
    409: async (send) => {
      const old = await inSession(send);
      await send({ path: "/session/rotate", ...old });
      return send(old);
    },
  },
);
