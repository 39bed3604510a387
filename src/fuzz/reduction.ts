// Reduces the requests of a failure in number and size. Bisection removes requests; fast-check, if it is
// installed, shrinks the rest. Invariants:
//
//   FZ2. The result fails alone, in a new application, with the same violation.

import type { Arbitrary } from "fast-check";

import { type FuzzRequest, REDUCIBLE, withoutEmpty } from "./fuzz-request.js";

type FastCheck = typeof import("fast-check");

/** Whether the requests still fail in the same way. */
type Fails = (requests: readonly FuzzRequest[]) => Promise<boolean>;

/** For one failure. Each try starts an application. */
const MAX_TRIES = 400;
const MAX_MS = 20_000;
/** Length of texts that are shrunk letter by letter. */
const MAX_SHRUNK = 200;

/** Undefined if the failure cannot be reproduced. */
export async function reduced(
  requests: readonly FuzzRequest[],
  fails: Fails,
  fastCheck: FastCheck | undefined,
): Promise<readonly FuzzRequest[] | undefined> {
  let tries = 0;
  const endsAt = performance.now() + MAX_MS;
  const stillFails: Fails = async (few) => {
    tries += 1;
    return tries <= MAX_TRIES && performance.now() < endsAt && fails(few);
  };
  const last = requests.slice(-1);
  if (await stillFails(last)) return shrunk(last, stillFails, fastCheck);
  if (!(await stillFails(requests))) return undefined;
  return shrunk(await fewest(requests, stillFails), stillFails, fastCheck);
}

/** Removes halves, quarters and so on, down to single requests. The last request is the failing one. */
async function fewest(requests: readonly FuzzRequest[], fails: Fails): Promise<readonly FuzzRequest[]> {
  let left = requests;
  for (let size = Math.ceil((left.length - 1) / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = left.length - 1 - size; at > -size; at -= size) {
      const without = [...left.slice(0, Math.max(at, 0)), ...left.slice(Math.max(at + size, 0))];
      if (without.length < left.length && (await fails(without))) left = without;
    }
  return left;
}

async function shrunk(
  given: readonly FuzzRequest[],
  fails: Fails,
  fc: FastCheck | undefined,
): Promise<readonly FuzzRequest[]> {
  let requests = given;
  for (const name of ["peer", "as"] as const) {
    const without = requests.map(({ [name]: left, ...request }) => request as FuzzRequest);
    if (await fails(without)) requests = without;
  }
  if (fc === undefined) return requests;
  const reducible = requests.map((request) =>
    REDUCIBLE.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]] as const])),
  );
  const around = fc.tuple(
    ...reducible.map((members) => fc.tuple(...members.map(([, value]) => shrinkable(fc, value)))),
  );
  const drawn = reducible.map((members) => members.map(([, value]) => value));
  const withMembers = (values: readonly (readonly unknown[])[]): readonly FuzzRequest[] =>
    requests.map((request, i) => {
      const members = (reducible[i] as (typeof reducible)[number]).map(
        ([name], j) => [name, values[i]?.[j]] as const,
      );
      return withoutEmpty({ ...request, ...Object.fromEntries(members) });
    });
  const property = fc.asyncProperty(around, async (values) => !(await fails(withMembers(values))));
  const { counterexample } = await fc.check(property, { examples: [[drawn]], numRuns: 1 });
  return counterexample === null ? requests : withMembers(counterexample[0]);
}

/**
 * An arbitrary that shrinks this value. It is built for the value: few arbitraries of fast-check can
 * shrink a value that they have not generated.
 */
function shrinkable(fc: FastCheck, value: unknown, name?: string): Arbitrary<unknown> {
  // It splits a text into its units by trying all ways: one of thousands would take minutes.
  if (typeof value === "string" && value.length > MAX_SHRUNK)
    return fc.constantFrom(value.slice(0, MAX_SHRUNK), value);
  if (typeof value === "string" && value !== "" && name !== "content-type")
    return fc.string({ unit: fc.constantFrom(...new Set(["a", ...value])) });
  if (typeof value === "boolean") return fc.boolean();
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return fc.maxSafeInteger();
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0)
    return fc.constant(value);
  if (Array.isArray(value)) return fc.array(fc.oneof(...value.map((item) => shrinkable(fc, item))));
  const entries = Object.entries(value).map(([key, inner]) =>
    fc.tuple(fc.constant(key), shrinkable(fc, inner, key)),
  );
  return fc.array(fc.oneof(...entries)).map(
    (all) => Object.fromEntries(all),
    (whole) => Object.entries(whole as object),
  );
}

/** Undefined if it is not installed. */
export async function loadFastCheck(): Promise<FastCheck | undefined> {
  try {
    return await import("fast-check");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
