// Tokens for programs: a log-in is answered one, which is good for ten minutes.

import { generateKeyPairSync } from "node:crypto";

import { IamError, type IamVerifier } from "framework";
import { JwtKeys, JwtVerifier } from "framework/std";
import { SignJWT } from "jose";

import type { Account, Accounts } from "./accounts.js";

const ALGORITHM = "EdDSA";
const ISSUER = "https://gauge.example";
const AUDIENCE = "gauge";
const LIFE_SECONDS = 600;

export class Tokens {
  readonly verifier: IamVerifier;
  // Made anew with each start, which ends all tokens. Where they outlive it, or other services
  // verify them, the private key is in a secret store, and the public one in a JWK set.
  readonly #keys = generateKeyPairSync("ed25519");
  readonly #now: () => number;

  constructor(accounts: Accounts, now = Date.now) {
    this.#now = now;
    const pem = this.#keys.publicKey.export({ type: "spki", format: "pem" }) as string;
    const signed = new JwtVerifier({
      algorithm: ALGORITHM,
      keys: JwtKeys.pem(pem),
      issuer: ISSUER,
      audience: AUDIENCE,
      now,
    });
    this.verifier = {
      description: `${signed.description}, since its account was logged out everywhere`,
      perProcess: "the key of its tokens in memory, which other processes do not have",
      // What a signature cannot say: whether somebody has logged out since. A service that has
      // the public key alone lets the token in until it expires, which is why it does so soon.
      verify: async (token, verification) => {
        const identity = await signed.verify(token, verification);
        if (identity instanceof IamError) return identity;
        const { logouts } = accounts.find(identity.subject) ?? {};
        return identity.claims["logouts"] === logouts ? identity : LOGGED_OUT;
      },
    };
  }

  async tokenOf({ name, roles, logouts }: Account): Promise<{ token: string; expiresInSeconds: number }> {
    const seconds = Math.floor(this.#now() / 1000);
    const token = await new SignJWT({ roles: [...roles], logouts })
      .setProtectedHeader({ alg: ALGORITHM })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(name)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + LIFE_SECONDS)
      .sign(this.#keys.privateKey);
    return { token, expiresInSeconds: LIFE_SECONDS };
  }
}

const LOGGED_OUT = IamError.invalidToken("Its account has logged out everywhere, or is gone");
