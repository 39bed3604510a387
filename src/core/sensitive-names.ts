// Names that say by themselves that a value is a secret: of properties, headers, keys of
// a Bus. Words are compared, not parts of words: "description" is not "ip", and
// "tokenizer" no "token".

import { interned } from "./interned.js";

/** A word of a name, wherever it stands: `passwordHash`, `secret_value`. */
const ANYWHERE = new Set(
  [
    "authorization authorisation passwd password passcode passphrase passwort pwd secret credential",
    "cookie apikey cvv cvc ssn jwt privatekey",
  ]
    .join(" ")
    .split(" "),
);

/** The last words of a name, joined: `x-access-token`, `cardNumber`, `user[pin]`. */
const LAST = new Set(
  [
    "token bearer pin otp totp signature sig csc sid sessid sessionid session auth pass pw",
    "secretkey accesskey signingkey encryptionkey masterkey privkey",
    "cardnumber cardno creditcard ccnumber ccnum pan securitycode verificationcode recoverycode",
    "phpsessid jsessionid csrf xsrf otpcode mfacode assertion samlresponse samlrequest",
    "socialsecuritynumber",
  ]
    .join(" ")
    .split(" "),
);

/** What a name that is written in one goes on to end with: `accesstoken`. Long enough to be no accident. */
const ENDS = /(?:password|passwd|passphrase|secret|token|apikey|credential|authorization|sessionid)$/;

const MAX_NAME = 256;
const MAX_KNOWN = 4096;

/** The words of a name: `x-apiKey` is x, api, key. Digits behind a word are no part of it, and an s that makes it many. */
function wordsOf(name: string): readonly string[] {
  return name
    .normalize("NFKC")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .map((word) => word.replace(/^(\D+)\d+$/, "$1").replace(/(?<=[^s]{3})s$/, ""))
    .filter((word) => word !== "");
}

function saysSecret(name: string): boolean {
  const words = wordsOf(name);
  if (words.length === 0) return false;
  if (words.some((word, at) => ANYWHERE.has(word) || ANYWHERE.has(word + (words[at + 1] ?? "")))) return true;
  for (let at = Math.max(0, words.length - 4); at < words.length; at += 1)
    if (LAST.has(words.slice(at).join(""))) return true;
  return ENDS.test(words.join(""));
}

const known = interned("SensitiveNames", () => new Map<string, boolean>());

/** Whether what is called so is masked whatever its schema says. Longer than 256 characters, a name is not read, and is one. */
export function isSensitiveName(name: string): boolean {
  if (name.length > MAX_NAME) return true;
  const before = known.get(name);
  if (before !== undefined) return before;
  // Names come from outside too: what is remembered of them has a bound.
  if (known.size >= MAX_KNOWN) known.clear();
  const is = saysSecret(name);
  known.set(name, is);
  return is;
}
