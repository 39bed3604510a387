import { hash } from "node:crypto";

import { verifiedName } from "#core/iam/owned-identity.js";
import { invalidOption } from "#core/invalid-option.js";
import type { ErasureSubject } from "#core/ports/erasure.js";

/** Throws CONFIG_INVALID. */
export function erasureSubject(call: string, subject: unknown, issuer?: unknown): ErasureSubject {
  if (typeof subject !== "string" || subject === "")
    throw invalidOption(call, "subject is the id of a person: a text that is not empty");
  if (issuer !== undefined && (typeof issuer !== "string" || issuer === ""))
    throw invalidOption(call, "issuer is a text that is not empty, or absent");
  const name = verifiedName({ subject, roles: [], claims: {}, ...(issuer !== undefined && { issuer }) });
  return { subject, ...(issuer !== undefined && { issuer }), name, hash: hash("sha256", name, "base64url") };
}
