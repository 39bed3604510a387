// Masks secrets that are known by their shape, without a name beside them: keys, tokens of known issuers,
// the credentials of a scheme, user and password of a URL, values that a database quotes.

import { REDACTED } from "../secrets/secret.js";
import { isSensitiveName } from "../secrets/sensitive-names.js";

const KEY =
  /-{4,5} ?BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}.*?(?:-{4,5} ?END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|$)/gs;

/** Masks private keys in PEM, OpenSSH's and PGP's armour, which are longer than any pair. */
export const withoutKeys = (text: string): string =>
  text.includes("PRIVATE KEY") ? text.replace(KEY, REDACTED) : text;

/** The value must have a digit or a capital after a small letter, which words of prose do not. */
const SCHEME = /\b([Bb]asic|[Bb]earer|BASIC|BEARER)(\s+)(?=[\w.~+/=-]*(?:\d|[a-z][A-Z]))[\w.~+/=-]{6,}/g;

/**
 * Two to five parts in base64url: JWS and JWE. The first one begins as `{"`, after other characters of the
 * same run, if any. The search starts only at a run that a dot ends: otherwise each `eyJ` of a
 * run would scan all of it.
 */
const JWT = /(?<![\w-])(?=[\w-]+\.)([\w-]*?)\beyJ[\w-]{4,}(?:\.[\w-]*){1,4}/g;

/** Beginnings that issuers give their tokens; those that words may have too need a digit or a capital. */
const ISSUED =
  /(?<![A-Za-z\d])(?:(?:g(?:h[opsur]_|ithub_pat_|lpat-)|s(?:k_(?:live|test)_|hpat_)|rk_(?:live|test)_|whsec_|xox[a-z]-|A(?:[KS]IA|Iza|GE-SECRET-KEY-)|GOCSPX-|dop_v1_)[\w-]{10,}|(?:sk-|npm_|hf_|pypi-|xapp-|hvs\.|ya29\.|SG\.)(?=[\w.-]{0,80}(?:\d|[a-z][A-Z]))[\w-][\w.-]{8,}[\w-])/g;
/** No issuer has shorter tokens. */
const SHORTEST = 16;
/** Cheap test: most texts have none of these. */
const ISSUABLE = /[\d_-]|A[KS]IA|AIza/;

/** Whether the text may have a token of a known issuer: it needs no sign beside it. */
export const mayHaveIssued = (text: string): boolean =>
  text.length >= SHORTEST && ISSUABLE.test(text) && text.search(ISSUED) >= 0;

/** `//user:password@` of a URL. An `@` in the password is part of it. */
const USER_INFO = /(:\/\/|(?<![\w/:])\/\/(?=[^\s/?#@:]+:))[^\s/?#]{1,4096}@/g;

/** The same where the password has a `/`, `?` or `#`: what follows the colon is no port. */
const RAW_USER_INFO = /(:\/\/)[^\s/?#@:[]{1,256}:(?!\d*(?:[/?#\s"']|$))[^\s"'<>]{1,256}@/g;

/** The same for a text that was truncated before a possible `@`. */
const CUT_USER_INFO = /(:\/\/)[^\s/?#@]*$/;

/** `curl -u user:password`. */
const USER_FLAG = /((?:^|\s)(?:-u|--user|--proxy-user)\s+["']?[^\s:"']{1,256}:)[^\s"']+/g;

/** `PASSWORD 'S'` in SQL. */
const SQL = /\b(PASSWORD|IDENTIFIED (?:WITH \w{1,64} )?BY)(\s+)'(?:[^']|'')*'?/gi;

/** PostgreSQL quotes the values of a row without their names. */
const ROW = /(row contains \()[^\n]*/g;

/** MySQL: `Duplicate entry 'S' for key 'users.api_token'`. */
const ENTRY = /(Duplicate entry )'[^\n]{0,1024}?'( for key '([^'\n]{1,256})')/g;

/** A name and its value as members of an object in JSON. */
const NAMED =
  /("(?:name|key)"\s{0,8}:\s{0,8}"([^"\\]{1,128})"\s{0,8},\s{0,8}"value"\s{0,8}:\s{0,8}")(?:[^"\\]|\\.)*/g;

/** A text without any of these signs has no shape but an issuer's token. */
export const SHAPE_SIGNS =
  "eyJ|[Bb]asic\\s|[Bb]earer\\s|BASIC\\s|BEARER\\s|PRIVATE KEY|row contains|Duplicate entry|PASSWORD|BY '|-u ";

export function withoutShapes(text: string, isCut: boolean): string {
  let shown = text.replace(SCHEME, `$1$2${REDACTED}`);
  if (shown.includes("eyJ")) shown = shown.replace(JWT, `$1${REDACTED}`);
  if (shown.includes("//"))
    shown = shown.replace(USER_INFO, `$1${REDACTED}@`).replace(RAW_USER_INFO, `$1${REDACTED}@`);
  if (shown.length >= SHORTEST && ISSUABLE.test(shown)) shown = shown.replace(ISSUED, REDACTED);
  if (shown.includes("-u")) shown = shown.replace(USER_FLAG, `$1${REDACTED}`);
  if (shown.includes("'")) shown = shown.replace(SQL, `$1$2'${REDACTED}'`).replace(ENTRY, withoutEntry);
  if (shown.includes('"value"')) shown = shown.replace(NAMED, withoutNamed);
  if (shown.includes("row contains")) shown = shown.replace(ROW, `$1${REDACTED})`);
  return isCut ? shown.replace(CUT_USER_INFO, `$1${REDACTED}`) : shown;
}

const withoutNamed = (pair: string, begin: string, name: string): string =>
  isSensitiveName(name) ? begin + REDACTED : pair;

const withoutEntry = (entry: string, begin: string, end: string, key: string): string =>
  key.split(/[._]/).some(isSensitiveName) ? `${begin}'${REDACTED}'${end}` : entry;
