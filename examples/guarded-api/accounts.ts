// Who may log in. In memory: a service of your own keeps them in its database.

import { type Fault, fault, type IamIdentity, ProblemDetail, type Static, Type } from "framework";

import { type PasswordHash, Passwords } from "./passwords.js";

/** What logs in. It asks no more of a password than registering did at any time. */
export const Login = Type.Object({
  name: Type.String({ maxLength: 32 }),
  password: Type.String({ maxLength: 128 }),
});

/** Names are of letters that cannot be taken for others. */
export const Registration = Type.Object({
  name: Type.String({ pattern: "^[a-z][a-z0-9-]{2,31}$" }),
  password: Type.String({ minLength: 12, maxLength: 128 }),
});

export interface Account {
  readonly name: string;
  readonly roles: readonly string[];
  readonly since: Date;
  /** How often it was logged out everywhere: what was signed before that is void. */
  readonly logouts: number;
}

interface Kept extends Account {
  readonly password: PasswordHash;
}

const MAX_ACCOUNTS = 10_000;

// Whether the name or the password is wrong is nobody's business.
const wrong = new ProblemDetail({ status: 401, code: "LOGIN_WRONG", title: "Wrong name or password" });
// This one tells that a name is there: where nobody may know it, accounts have the name of an
// e-mail address, the answer is always the same, and what was found out is in the mail.
const taken = new ProblemDetail({ status: 409, code: "NAME_TAKEN", title: "This name is taken" });
const full = new ProblemDetail({ status: 503, code: "ACCOUNTS_FULL", title: "No more accounts" });
const busy = new ProblemDetail({ status: 503, code: "BUSY", title: "Too many log in at once: try again" });

/** How each can fail, for documentation. */
export const registering = [busy, taken, full];
export const loggingIn = [busy, wrong];

export class Accounts {
  readonly perProcess = "its accounts in memory, which other processes do not see";
  readonly #passwords: Passwords;
  readonly #kept = new Map<string, Kept>();

  constructor(passwords = new Passwords()) {
    this.#passwords = passwords;
  }

  async register(
    { name, password }: Static<typeof Registration>,
    roles: readonly string[] = [],
  ): Promise<Account | Fault<ProblemDetail>> {
    const hash = await this.#passwords.hashOf(password);
    if (hash === undefined) return fault(busy);
    // After the hash: two may have asked for the name at once.
    if (this.#kept.has(name)) return fault(taken);
    if (this.#kept.size >= MAX_ACCOUNTS) return fault(full);
    const account = { name, roles, since: new Date(), logouts: 0, password: hash };
    this.#kept.set(name, account);
    return account;
  }

  async loggedIn({ name, password }: Static<typeof Login>): Promise<Account | Fault<ProblemDetail>> {
    const account = this.#kept.get(name);
    const isRight = await this.#passwords.isRight(password, account?.password);
    if (isRight === undefined) return fault(busy);
    return isRight && account !== undefined ? account : fault(wrong);
  }

  find(name: string): Account | undefined {
    return this.#kept.get(name);
  }

  list(): readonly Account[] {
    return [...this.#kept.values()];
  }

  loggedOutEverywhere(name: string): void {
    const account = this.#kept.get(name);
    if (account !== undefined) this.#kept.set(name, { ...account, logouts: account.logouts + 1 });
  }
}

export const identityOf = ({ name, roles }: Account): IamIdentity => ({ subject: name, roles, claims: {} });
