// Names that mark a value as secret: of properties, headers, keys of a Bus, parameters. Whole
// words of camel, snake and kebab case are compared, never parts of words: "discard" does not
// match "card", nor "tokenizer" "token".

import { interned } from "../interned.js";

const listed = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Words, and joined pairs of words, that make a name secret at any position. */
const ANYWHERE = listed(
  `authorization authorisation passwd password passw0rd pswd passcode passphrase passwort pwd userpwd dbpass
   secret credential cred cookie cvv cvc ccv cvn ssn jwt mnemonic apikey privatekey accountkey enckey
   accesstoken refreshtoken idtoken authtoken bearertoken csrftoken xsrftoken resettoken sessiontoken
   tokenvalue tokenhash clientsecret sessionid connectionstring databaseurl seedphrase devicecode backupcode
   accesscode securityanswer authheader codeverifier rememberme passwordhash passhash`,
);

/** Whole names, and joined last words of names: `x-access-token`, `cardNumber`, `user[pin]`. */
const LAST = listed(
  `token bearer pin otp totp mfa signature sig hmac salt csc sid sessid session auth pass pw dsn iban
   secretkey accesskey signingkey encryptionkey masterkey privkey
   card cardnumber cardno creditcard ccnumber ccnum pan securitycode verificationcode recoverycode
   subscriptionkey phpsessid jsessionid csrf xsrf otpcode mfacode assertion samlresponse samlrequest
   socialsecuritynumber idtokenhint sessionkey sshkey authkey sharedkey storagekey deploykey hmackey
   githubpat gitlabpat ghpat azurepat adopat smscode authcode onetimecode logincode resetcode totpcode`,
);

/** Whole names only: `autoRefresh` is a setting. */
const ALONE = listed("refresh");

/** Words that are written together, such as "userpassword", and tokens at the end: "oauthtoken". */
const COMPOUND = /(?:password|passwd|passphrase|secret)$/;
const COMPOUND_LAST = /(?<!be)token$/;

/** Counts of the tokens that language models bill. */
const COUNTS = listed(
  `maxtoken totaltoken prompttoken completiontoken inputtoken outputtoken cachedtoken numtoken
   maxnewtoken reasoningtoken`,
);

const MAX_NAME = 256;
const MAX_KNOWN = 4096;
const MAX_JOINED = 4;

/** The words of a name: `x-apiKey` is x, api, key; `oauth2token` oauth, token. Without digits after a word, and the s of a plural. */
function wordsOf(name: string): readonly string[] {
  return name
    .normalize("NFKC")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(?<=\p{L}\d)(?=\p{L}{3})/gu, " ")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .map((word) => word.replace(/^(\D+)\d+$/, "$1").replace(/(?<=..[^s])s$/, ""))
    .filter((word) => word !== "" && !/^\d+$/.test(word));
}

function saysSecret(name: string): boolean {
  const words = wordsOf(name);
  const joined = words.join("");
  if (COUNTS.has(joined)) return false;
  if (ALONE.has(joined) || COMPOUND_LAST.test(words.at(-1) ?? "")) return true;
  const isTelling = (word: string, at: number): boolean =>
    ANYWHERE.has(word) || ANYWHERE.has(word + (words[at + 1] ?? "")) || COMPOUND.test(word);
  if (words.some(isTelling)) return true;
  for (let at = Math.max(0, words.length - MAX_JOINED); at < words.length; at += 1) {
    const last = words.slice(at).join("");
    if (LAST.has(last) || added.has(last)) return true;
  }
  return false;
}

const known = interned("SensitiveNames", () => new Map<string, boolean>());
const added = interned("AddedSensitiveNames", () => new Set<string>());
const marked = interned("MarkedNames", () => new Set<string>());

/** Adds an application's own secret names: they match whole names and the last words of names. */
export function addSensitiveNames(names: Iterable<string>): void {
  for (const name of names) added.add(wordsOf(name).join(""));
  known.clear();
}

/** Hides parts of requests, and metadata of audit events, with a name that a mounted schema marks. In the whole process. */
export function hideMarkedNames(names: Iterable<string>): void {
  for (const name of names) marked.add(name);
}

export const isMarkedName = (name: string): boolean => marked.has(name);

/** Of a part of a request: a parameter, a header. */
export const isHiddenName = (name: string): boolean => isMarkedName(name) || isSensitiveName(name);

/** True if a value of this name is masked regardless of its schema. So are names of more than 256 characters. */
export function isSensitiveName(name: string): boolean {
  if (name.length > MAX_NAME) return true;
  const before = known.get(name);
  if (before !== undefined) return before;
  // Names also come from clients: the cache is bounded.
  if (known.size >= MAX_KNOWN) known.clear();
  const is = saysSecret(name);
  known.set(name, is);
  return is;
}
