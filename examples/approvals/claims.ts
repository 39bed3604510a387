// An expense claim waits for a manager: three days, and then four more for the director. While it
// waits, it is a row of the store: no process and no timer has it.

import { type Static, Type } from "@sinclair/typebox";
import {
  Axon,
  busKey,
  fault,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  RunId,
  Stores,
  signal,
} from "framework";

import type { Office } from "./office.js";

export const OfficeKey = busKey<Office>()("Office");

const DAY_MS = 86_400_000;

const Claim = Type.Object(
  {
    cents: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    reason: Type.String({ minLength: 1, maxLength: 200 }),
  },
  { $id: "Claim" },
);

const Decision = Type.Object(
  { approved: Type.Boolean(), note: Type.Optional(Type.String({ maxLength: 200 })) },
  { $id: "Decision", additionalProperties: false },
);
type Decision = Static<typeof Decision>;

const Decided = Type.Object(
  { approved: Type.Boolean(), note: Type.Optional(Type.String()), receipt: Type.Optional(Type.String()) },
  { $id: "Decided" },
);

export const Approval = signal<Decision>()("approval", Decision);

interface Filed extends Static<typeof Claim> {
  readonly applicant: string;
}

const decided = (claim: Filed, decision: Decision) => ({ ...claim, ...decision });

/** No manager has decided in time. */
const escalation = Axon.start<Filed>("escalation")
  .thenFn("tell the director", { uses: { office: OfficeKey, runId: RunId } }, async (claim, bus) => {
    await bus.office.tell("director", bus.runId);
    return claim;
  })
  .waitFor(Approval, {
    ...{ name: "director", timeoutMs: 4 * DAY_MS },
    ...{ onTimeout: fault({ kind: "undecided" } as const), take: decided },
  });

/** The token of an employee is a name, here; managers have other names. */
const MANAGERS = ["mia", "max"];
export const staff: IamVerifier = {
  description: "names as tokens",
  verify: (token) => ({ subject: token, roles: MANAGERS.includes(token) ? ["manager"] : [], claims: {} }),
};

export const claim = Axon.start("claim", Claim)
  .withIam(IamPolicy.requireIdentity(), staff)
  .withPersistenceStore(Stores.mounted)
  .thenFn("file", { uses: { iam: IamIdentity, office: OfficeKey, runId: RunId } }, async (form, bus) => {
    await bus.office.tell("manager", bus.runId);
    return { ...form, applicant: bus.iam.subject };
  })
  .waitFor(Approval, { name: "manager", timeoutMs: 3 * DAY_MS, onTimeout: "escalate", take: decided })
  .branch("escalate", escalation)
  .thenFn("pay", { uses: { office: OfficeKey, runId: RunId } }, async ({ applicant, cents, ...of }, bus) => {
    const { approved, note } = of;
    const answer = { approved, ...(note !== undefined && { note }) };
    if (!approved) return answer;
    // A step that was stopped runs again. By the run's id the office knows the payment.
    return { ...answer, receipt: await bus.office.pay(bus.runId, applicant, cents) };
  })
  .withOutputSchema(Decided);
