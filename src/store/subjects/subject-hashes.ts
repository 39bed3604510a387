import { hash as hashed } from "node:crypto";

import { isPair } from "#core/iam/owned-identity.js";
import type { ErasureSubject } from "#core/ports/erasure.js";

/** `withSubject` hashes its text as it is: no other person has the hash of one that is no pair. */
export const subjectHashes = ({ subject, issuer, hash }: ErasureSubject): readonly string[] =>
  issuer === undefined && !isPair(subject) ? [hash, hashed("sha256", subject, "base64url")] : [hash];
