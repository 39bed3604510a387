// Who may change the catalogue: a client that sends the token of the librarian.

import { createHash, timingSafeEqual } from "node:crypto";

import { IamError, IamPolicy, type IamVerifier } from "framework";

export const librarian = IamPolicy.requireRole("librarian");

/** Takes one token. JWT, API keys and sessions: docs/identity.md of the package. */
export const verifierOf = (librarianToken: string): IamVerifier => ({
  description: "the token of the librarian",
  verify: (token) =>
    librarianToken !== "" && isSame(token, librarianToken)
      ? { subject: "librarian", roles: ["librarian"], claims: {} }
      : IamError.invalidToken("It is not the librarian's"),
});

/** Takes a time that does not depend on how much of the token is right. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
