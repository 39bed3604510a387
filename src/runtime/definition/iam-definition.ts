import { FrameworkError } from "#core/errors.js";
import { describeVerifier, IamBoundary, type IamOptions } from "#core/flow/iam-boundary.js";
import type { DrawnIam, DrawnPolicy } from "#core/flow/schematic.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import type { IamVerifier } from "#core/iam/iam-verifier.js";
import type { AxonDefinition, IamDefinition } from "./axon-definition.js";
import { stepOf } from "./axon-extension.js";

type Caller = (...args: never[]) => unknown;

export function iamDefinition(
  boundary: IamBoundary,
  owner: string,
  caller: Caller,
  weakened?: string,
): IamDefinition {
  return { step: stepOf([], boundary, owner, caller), boundary, weakened };
}

/** Throws CONFIG_INVALID, also if the Axon already has a boundary. */
export function bounded(
  axon: AxonDefinition,
  policy: IamPolicy,
  verifier: IamVerifier,
  options: IamOptions | undefined,
  caller: Caller,
): AxonDefinition {
  const owner = `Axon '${axon.name}'`;
  if (axon.iam !== undefined)
    throw new FrameworkError(
      "CONFIG_INVALID",
      `${owner}: withIam was called twice: call it once, with both policies in one, as in IamPolicy.allOf(a, b)`,
    );
  const boundary = new IamBoundary("iam", `withIam of ${owner}`, policy, verifier, options);
  return { ...axon, iam: iamDefinition(boundary, owner, caller) };
}

export const drawnPolicy = ({ description, rule }: IamPolicy): DrawnPolicy => ({ policy: description, rule });

export const drawnIam = ({ boundary, weakened }: IamDefinition): DrawnIam => ({
  ...drawnPolicy(boundary.policy),
  verifier: describeVerifier(boundary.verifier),
  token: boundary.token.name,
  ...(weakened !== undefined && { weakened }),
});
