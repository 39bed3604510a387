// Whose tokens are good, by the environment:
//
//   JWT_ALG         HS256, RS256, PS256, ES256, EdDSA or another algorithm of JwtVerifier
//   JWT_SECRET      for HS: the secret, as text
//   JWT_PUBLIC_KEY  for the others: the path of a PEM file with the public key
//
// The key's id is k1. A token that names another is invalid; one without a kid is verified, for
// there is one key that it can mean. Without any of the three the routes are there and let nobody
// in: 401 without a token, 503 with one, because nobody can say whose it is. An empty variable is
// one that is not set.

import { IamError, type IamVerifier } from "framework";
import { type JwsAlgorithm, JwtKeys, JwtVerifier } from "framework/std";

const KEY = { keyId: "k1" };

const noKey: IamVerifier = {
  description: "nothing: JWT_ALG is not set",
  verify: () => IamError.verifierUnavailable("There is no key: set JWT_ALG"),
};

/** Throws one error that names all mistakes of the variables, or what is wrong with the key. */
export function tokenVerifier(env: Readonly<Record<string, string | undefined>>): IamVerifier {
  const { JWT_ALG: algorithm = "", JWT_SECRET: secret = "", JWT_PUBLIC_KEY: path = "" } = env;
  if (algorithm === "" && secret === "" && path === "") return noKey;
  const mistakes = [
    ...(algorithm === "" ? ["JWT_ALG is not set: say what tokens are signed with, as HS256 or ES256"] : []),
    ...(secret === "" && path === ""
      ? ["there is no key: set JWT_SECRET for HS, or JWT_PUBLIC_KEY, the path of a PEM file, for the others"]
      : []),
    ...(secret !== "" && path !== "" ? ["JWT_SECRET and JWT_PUBLIC_KEY are both set: leave one out"] : []),
  ];
  if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
  return new JwtVerifier({
    // What is no algorithm it refuses, with a list of those that are.
    algorithm: algorithm as JwsAlgorithm,
    keys: secret === "" ? JwtKeys.pemFile(path, KEY) : JwtKeys.secret(secret, KEY),
    issuer: "https://issuer.example",
    audience: "conformance",
  });
}
