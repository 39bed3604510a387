// The person a run is about. Logs and dead letters carry a hash of the name, by which they are
// found and erased; all sessions of one person have the same hash.

import { hash } from "node:crypto";

import type { AnyKey } from "#core/bus/bus-key.js";
import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { verifiedName } from "#core/iam/owned-identity.js";
import type { SubjectOf } from "../definition/axon-definition.js";
import type { Instruction } from "./instruction.js";
import type { RunState } from "./run-state.js";

/** Runs after the input check. */
export const subjectStep = (of: SubjectOf<never>): Instruction["step"] => ({
  run(input, { state }) {
    const name: unknown = of(input as never);
    if (name === undefined) return input;
    if (typeof name !== "string" || name === "")
      throw new TypeError("The function of withSubject answers a text that is not empty, or undefined");
    outermost(state).due().subject = hashedSubject(name);
    return input;
  },
});

export function subjectOf(state: RunState): string | undefined {
  const { subject } = outermost(state).duties;
  if (subject !== null) return subject;
  const name = identityOf(state);
  return name === undefined ? undefined : hashedSubject(name);
}

/** The name of the verified identity, if a step has set one. */
export function identityOf(state: RunState): string | undefined {
  const identity = held(state, IamIdentity) as IamIdentity | undefined;
  const name = held(state, VerifiedIdentity) ?? (identity && verifiedName(identity));
  return typeof name === "string" && name !== "" ? name : undefined;
}

export const outermost = (state: RunState): RunState =>
  state.around === undefined ? state : outermost(state.around);

/** The hash for the name of a verified identity. */
export const hashedSubject = (name: string): string => hash("sha256", name, "base64url");

/** Slot 0 belongs to no key (B1). */
const held = (state: RunState, key: AnyKey): unknown => state.values[state.table[key.slot] ?? 0];
