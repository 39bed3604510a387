// Accounts: pages log in by a session in a cookie, programs by a token. What they may ask for
// is the same, and each Axon of it is mounted twice.

import { Axon, Framework, IamIdentity, IamPolicy, respond, Type } from "framework";
import {
  AccessLogGuard,
  AuthGuard,
  BodyLimitGuard,
  CreateSession,
  CsrfGuard,
  DestroySession,
  LoadSession,
  SecurityHeadersGuard,
  SecurityPolicy,
  Sessions,
  type SessionsOptions,
  ValidateSession,
} from "framework/std";

import {
  type Account,
  type Accounts,
  identityOf,
  Login,
  loggingIn,
  Registration,
  registering,
} from "./accounts.js";
import { pageFiles } from "./accounts-page.js";
import { perAccount, perAddress } from "./login-limits.js";
import { Tokens } from "./tokens.js";

export interface AccountsOptions {
  readonly accounts: Accounts;
  readonly sessions?: SessionsOptions;
  /** Milliseconds since 1970. Tests pass their own. */
  readonly now?: () => number;
}

const admin = IamPolicy.requireRole("admin");

const policy = SecurityPolicy.default().withCsp({
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "connect-src": "'self'",
  "img-src": "data:",
});

export function accountsApi({ accounts, sessions: options, now }: AccountsOptions) {
  const sessions = new Sessions({ ...options, ...(now && { now }) });
  const tokens = new Tokens(accounts, now);
  // A clock that is set back would let nobody in: the limits have one that never is.
  const limitsNow = now ?? (() => performance.now());
  const addressLimit = { guards: [perAddress(limitsNow)] };
  const accountLimit = perAccount(limitsNow);

  // Whatever session the browser had before, it has another one now, with an id that was made here.
  const startSession = new CreateSession<Account>(sessions, { identityOf });

  const register = Axon.start("register", Registration)
    .thenFn("keep", { perProcess: accounts.perProcess, responses: registering }, (registration) =>
      accounts.register(registration),
    )
    .then(startSession)
    .thenFn("greet", { responses: [{ status: 201 }] }, ({ name }) =>
      respond({ status: 201, body: { welcome: name } }),
    );

  const logIn = Axon.start("log-in", Login)
    .then(accountLimit)
    .thenFn("check", { responses: loggingIn }, (login) => accounts.loggedIn(login))
    .then(startSession)
    .thenFn("greet", ({ name }) => ({ welcome: name }));

  const issueToken = Axon.start("issue-token", Login)
    .then(accountLimit)
    .thenFn("check", { responses: loggingIn }, (login) => accounts.loggedIn(login))
    .thenFn("sign", (account) => tokens.tokenOf(account))
    .thenFn("answer", { responses: [{ status: 201 }] }, (body) =>
      respond({ status: 201, headers: { "cache-control": "no-store" }, body }),
    );

  const whoAmI = Axon.start("who-am-i").thenFn("tell", { uses: { identity: IamIdentity } }, (_, bus) => {
    const { subject, roles } = bus.identity;
    return { name: subject, roles };
  });

  const listAccounts = Axon.start("list-accounts").thenFn("list", () => ({
    accounts: accounts.list().map(({ name, roles, since }) => ({ name, roles, since })),
  }));

  const logOut = Axon.start("log-out").then(new DestroySession(sessions)).withOutputSchema(Type.Void());

  const logOutEverywhere = Axon.start("log-out-everywhere")
    .thenFn("void-tokens", { uses: { identity: IamIdentity } }, (_, bus) =>
      accounts.loggedOutEverywhere(bus.identity.subject),
    )
    .then(new DestroySession(sessions, { everywhere: true }))
    .withOutputSchema(Type.Void());

  return (
    Framework.http()
      .guard(new AccessLogGuard())
      .guard(new SecurityHeadersGuard(policy))
      // Of the site's other pages too: another port is another origin, and has the same cookies.
      .guard(new CsrfGuard())
      .guard(new BodyLimitGuard(1000))
      .get("/", pageFiles.document)
      .get("/accounts-script.js", pageFiles.script)
      .get("/accounts-style.css", pageFiles.style)
      .post("/register", register, addressLimit)
      .post("/login", logIn, addressLimit)
      .post("/tokens", issueToken, addressLimit)
      .post("/logout", logOut)
      .group("/page", { guards: [new LoadSession(sessions), new ValidateSession()] }, (page) =>
        page
          .get("/me", whoAmI)
          .post("/logout-everywhere", logOutEverywhere)
          .get("/accounts", listAccounts, { guards: [new ValidateSession(admin)] }),
      )
      .get("/api/me", whoAmI, { guards: [new AuthGuard(IamPolicy.requireIdentity(), tokens.verifier)] })
      .get("/api/accounts", listAccounts, { guards: [new AuthGuard(admin, tokens.verifier)] })
  );
}
