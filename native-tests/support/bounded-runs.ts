// Runs of Axons that let in whom a policy does, and what came of them.

import assert from "node:assert/strict";

import type { AnyKey } from "#core/bus/bus-key.js";
import { FailureLog, type LogWriter } from "#core/bus/log.js";
import { isFault } from "#core/bus/outcome.js";
import type { IamError } from "#core/iam/iam-error.js";
import { IamIdentity, IamToken } from "#core/iam/iam-identity.js";
import { IamPolicy } from "#core/iam/iam-policy.js";
import { type IamVerifier, type Recall, remembersBy } from "#core/iam/iam-verifier.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { runner } from "./executor-runs.js";
import type { Executor, Ran } from "./executors.js";

export const ada: IamIdentity = {
  subject: "ada",
  issuer: "i",
  roles: ["admin"],
  claims: { team: ["a", { b: 1 }] },
};
export const { requireIdentity, requireRole, none } = IamPolicy;

/** What comes of a run: the fault's kind, or who it was and whether it was answered at once. */
export const cameOf = (ran: Ran): unknown =>
  isFault(ran.outcome)
    ? (ran.outcome.error as IamError).kind
    : (ran.bus[IamIdentity.name] as IamIdentity | undefined)?.subject;

/** What runs Axons with a token, and what they made of it. */
export const boundedRuns = (executor: Executor, token: string | null = "t") => {
  const clock = new ManualClock();
  const lines: { err?: unknown }[] = [];
  const log = { error: (fields: object) => void lines.push(fields) } as unknown as LogWriter;
  const constants = new Map<AnyKey, unknown>([[FailureLog, log]]);
  if (token !== null) constants.set(IamToken, token);
  const once = runner(executor);
  const run = (axon: AnyAxon, signal?: AbortSignal, input: unknown = 1): Promise<Ran> =>
    once(axon, input, signal, { supply: { constants, lazy: new Map() } });
  const seen: string[] = [];
  const guardedBy = (policy: IamPolicy, verify: unknown, recall?: Recall) => {
    const verifier = {
      verify: (...given: unknown[]) => (verify as (...g: unknown[]) => unknown)(...given),
    };
    if (recall !== undefined) remembersBy(verifier.verify as IamVerifier["verify"], recall);
    return Axon.start<number>("a")
      .withIam(policy, verifier as IamVerifier, { clock, now: () => 1000 })
      .thenFn("step", (n) => {
        seen.push("step");
        return n;
      });
  };
  const countsOf = (axon: AnyAxon) => {
    const { counts } = axon.definition.iam?.boundary ?? assert.fail("no boundary");
    return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
  };
  return { clock, lines, run, seen, guardedBy, countsOf };
};
