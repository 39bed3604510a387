// Lines of the examples. mutate.mjs says what a row is.

const ACCOUNTS = "examples/guarded-api/accounts.test.ts";

export default [
  [
    "accounts: a name that is not there is as much work",
    "examples/guarded-api/passwords.ts",
    "kept: PasswordHash = NOBODYS): Promise<boolean | undefined> {",
    "kept?: PasswordHash): Promise<boolean | undefined> { if (!kept) return false;",
    ACCOUNTS,
  ],
  [
    "accounts: pages of others change nothing",
    "examples/guarded-api/accounts-api.ts",
    ".guard(new CsrfGuard())",
    "",
    ACCOUNTS,
  ],
  [
    "accounts: logged out everywhere, tokens are void",
    "examples/guarded-api/accounts-api.ts",
    "accounts.loggedOutEverywhere(bus.identity.subject)",
    "void bus.identity.subject",
    ACCOUNTS,
  ],
  [
    "accounts: a token is of its account as it is now",
    "examples/guarded-api/tokens.ts",
    'identity.claims["logouts"] === logouts',
    "logouts !== undefined",
    ACCOUNTS,
  ],
  [
    "accounts: a password of one account is tried so often",
    "examples/guarded-api/login-limits.ts",
    "if (allowed) return pass(login);",
    "if (allowed || limits) return pass(login);",
    ACCOUNTS,
  ],
  [
    "accounts: a name is taken once",
    "examples/guarded-api/accounts.ts",
    "if (this.#kept.has(name)) return fault(taken);",
    "",
    ACCOUNTS,
  ],
  [
    "accounts: the admin area is of admins",
    "examples/guarded-api/accounts-api.ts",
    ", { guards: [new ValidateSession(admin)] }",
    "",
    ACCOUNTS,
  ],
];
