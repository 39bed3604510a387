// Who may log in: the crew, by passwords that are kept as scrypt hashes.

import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

import type { IamIdentity } from "framework";

const hashOf = promisify<string, Buffer, number, Buffer>(scrypt);

interface Sailor {
  readonly roles: readonly string[];
  readonly salt: Buffer;
  readonly hash: Buffer;
}

async function sailor(password: string, roles: readonly string[]): Promise<Sailor> {
  const salt = randomBytes(16);
  return { roles, salt, hash: await hashOf(password, salt, 32) };
}

const crew: ReadonlyMap<string, Sailor> = new Map([
  ["ann", await sailor("anchors aweigh", ["crew"])],
  ["ben", await sailor("before the mast", ["crew"])],
]);

/** Nobody's, so that a name that is not there takes as long as one that is. */
const nobody = await sailor(randomBytes(16).toString("hex"), []);

export async function sailorNamed(name: string, password: string): Promise<IamIdentity | undefined> {
  const { roles, salt, hash } = crew.get(name) ?? nobody;
  const isRight = timingSafeEqual(await hashOf(password, salt, 32), hash);
  return isRight && crew.has(name) ? { subject: name, roles, claims: {} } : undefined;
}
