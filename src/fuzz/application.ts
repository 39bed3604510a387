// The exports of a fuzzed module.

import { FrameworkError } from "#core/errors.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import type { TestClient } from "#http/testing/test-client.js";
import { type FuzzIdentities, NOBODY } from "./fuzz-identity.js";

/** An ingress of this or another copy of the package. */
export interface FuzzIngress {
  readonly plan: IngressPlan;
}

type Made<T> = T | (() => T | Promise<T>);

/** The exports of a fuzzed module. Functions are called for each started application. */
export interface FuzzedApplication {
  readonly ingress: Made<object>;
  /** The values of its resources by name, as `run` takes them. */
  readonly resources?: Made<object>;
  /** By name. A function receives a client of the application, to log in. */
  readonly identities?: FuzzIdentities | ((client: TestClient) => FuzzIdentities | Promise<FuzzIdentities>);
}

export async function ingressOf({ ingress }: FuzzedApplication): Promise<FuzzIngress> {
  return (await made(ingress)) as FuzzIngress;
}

/** Throws RESOURCE_MISSING if the ingress declares resources that the module does not make. */
export async function resourcesOf(
  { resources }: FuzzedApplication,
  { plan }: FuzzIngress,
): Promise<Readonly<Record<string, unknown>>> {
  if (resources !== undefined) return (await made(resources)) as Record<string, unknown>;
  if (plan.resources.length === 0) return {};
  const names = plan.resources.map(({ name }) => name).join(", ");
  throw new FrameworkError(
    "RESOURCE_MISSING",
    `The ingress declares resources, and the module exports none: export a function resources() that returns { ${names} }`,
  );
}

/** Throws CONFIG_INVALID for an invalid record of identities. */
export async function identitiesOf(
  { identities = {} }: FuzzedApplication,
  client: TestClient,
): Promise<FuzzIdentities> {
  const found: unknown = typeof identities === "function" ? await identities(client) : identities;
  const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null;
  if (isRecord(found) && !Object.hasOwn(found, NOBODY) && Object.values(found).every(isRecord))
    return found as FuzzIdentities;
  throw new FrameworkError(
    "CONFIG_INVALID",
    `identities are objects by names other than '${NOBODY}': export const identities = { clerk: { roles: ["clerk"], headers: { authorization: "Bearer ..." } } }`,
  );
}

const made = <T>(given: Made<T>): T | Promise<T> =>
  typeof given === "function" ? (given as () => T | Promise<T>)() : given;
