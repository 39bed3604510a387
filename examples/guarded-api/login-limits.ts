// How often somebody may try a password: from one address, whatever the accounts, and for one
// account, whatever the addresses. The second has a price: who is not meant to can keep its
// owner from logging in, as long as they go on trying.

import { fault, pass, type Static, transition } from "framework";
import { GuardFault, MemoryRateLimits, RateLimitGuard } from "framework/std";

import type { Login } from "./accounts.js";

/** Five at once, then one each 12 s. */
const ACCOUNT_LIMIT = { capacity: 5, windowMs: 60_000, cost: 1 };

/** Twenty at once, then one each 3 s: some people share an address. Before the body is read. */
export const perAddress = (now: () => number) => new RateLimitGuard(20, 60_000, { name: "logins", now });

/** Of names that are no account's too: else it would tell which are. */
export function perAccount(now: () => number) {
  const limits = new MemoryRateLimits();
  return transition({
    name: "per-account",
    perProcess: limits.perProcess,
    run: (login: Static<typeof Login>) => {
      const { allowed, retryAfterMs } = limits.take(login.name, ACCOUNT_LIMIT, now());
      if (allowed) return pass(login);
      const seconds = Math.max(Math.ceil(retryAfterMs / 1000), 1);
      const detail = `Try again in ${seconds} s`;
      return fault(new GuardFault("RATE_LIMITED", { detail, headers: { "retry-after": `${seconds}` } }));
    },
  });
}
