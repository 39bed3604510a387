// A transfer between accounts. It is recorded in the audit log before it is booked: what cannot be
// recorded is not booked, and what a stopped process has recorded the next one books.

import { Type } from "@sinclair/typebox";
import { Axon, busKey, IamIdentity, IamPolicy, type IamVerifier, RunId, Stores } from "framework";
import { AuditLog } from "framework/audit";

import type { Book } from "./book.js";

export const BookKey = busKey<Book>()("Book");

const Transfer = Type.Object({
  from: Type.String({ pattern: "^[a-z]{1,20}$" }),
  to: Type.String({ pattern: "^[a-z]{1,20}$" }),
  cents: Type.Integer({ minimum: 1 }),
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});

/** The token of a teller is a name, here. */
const tellers: IamVerifier = {
  description: "names as tokens",
  verify: (token) => ({ subject: token, roles: ["teller"], claims: {} }),
};

const recorded = new AuditLog({
  action: "transfer.book",
  uses: { iam: IamIdentity },
  actor: (_: typeof Transfer.static, { iam }) => `teller:${iam.subject}`,
  target: ({ to }) => `account:${to}`,
  intent: ({ reason }) => reason,
  metadata: ({ from, cents }) => ({ from, cents }),
});

export const transfer = Axon.start("transfer", Transfer)
  .withIam(IamPolicy.requireRole("teller"), tellers)
  .withPersistenceStore(Stores.mounted)
  .then(recorded)
  .thenFn("book", { uses: { book: BookKey, runId: RunId } }, async (booking, bus) => {
    // A step that was stopped runs again. By the run's id the book knows the transfer.
    await bus.book.post({ id: bus.runId, ...booking });
    return { booked: bus.runId };
  });
