import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { withoutCredentials } from "#core/wire/credential-text.js";

const S = "k7Qz93hunter2pw";

/** Texts of libraries, databases, programs and files; each has S, and is masked as it stands behind. */
const MASKED: readonly (readonly [string, string])[] = [
  [`a=1&token=${S}&b=2`, "a=1&token=[redacted]&b=2"],
  [`X-Api-Key: ${S}\r\nHost: a`, "X-Api-Key: [redacted]\r\nHost: a"],
  [`Cookie: a=${S}; b=${S}`, "Cookie: [redacted]"],
  [`{"password":"${S}","a":1}`, '{"password":"[redacted]","a":1}'],
  [`{"a":"{\\"password\\":\\"${S}\\"}"}`, '{"a":"{\\"password\\":\\"[redacted]\\"}"}'],
  [`as Bearer ${S}`, "as Bearer [redacted]"],
  [`Key (api_token)=(${S}) already exists.`, "Key (api_token)=[redacted] already exists."],
  [`Key (id, api_token)=(1, a)${S}) is not present`, "Key (id, api_token)=[redacted] is not present"],
  [`Failing row contains (1, ann, ${S}, null).`, "Failing row contains ([redacted])"],
  [
    `Duplicate entry '${S}' for key 'users.api_token'`,
    "Duplicate entry '[redacted]' for key 'users.api_token'",
  ],
  [`ALTER USER bob PASSWORD '${S}'`, "ALTER USER bob PASSWORD '[redacted]'"],
  [`CREATE USER bob IDENTIFIED BY '${S}'`, "CREATE USER bob IDENTIFIED BY '[redacted]'"],
  [`{ rawHeaders: [ 'X-Api-Key', '${S}' ] }`, "{ rawHeaders: [redacted]"],
  [`https://bob:${S}@host/x`, "https://[redacted]@host/x"],
  [`https://bob:a@${S}@host/x`, "https://[redacted]@host/x"],
  [`postgres://bob:a/${S}@host/db`, "postgres://[redacted]@host/db"],
  [`//bob:a@${S}@host`, "//[redacted]@host"],
  [`eyJhbGciOiJkaXIi.${S}.${S}.${S}.${S} sent`, "[redacted] sent"],
  [`-----BEGIN PRIVATE KEY-----\n${S}\n-----END PRIVATE KEY-----`, "[redacted]"],
  [`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${S}\n-----END PGP PRIVATE KEY BLOCK----- .`, "[redacted] ."],
  [
    `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${S}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
    "[redacted]",
  ],
  [`token => ${S}`, "token => [redacted]"],
  [`:password => "${S}", :a => 1`, ':password => "[redacted]", :a => 1'],
  [`token -> ${S}`, "token -> [redacted]"],
  [`password := "${S}"`, 'password := "[redacted]"'],
  [`password == ${S}`, "password == [redacted]"],
  [`next=%2Flogin%3Ftoken%3D${S}`, "next=%2Flogin%3Ftoken%3D[redacted]"],
  [`<a:password type="x">${S}</a:password>`, '<a:password type="x">[redacted]</a:password>'],
  [`<password><![CDATA[${S}]]></password>`, "<password>[redacted]</password>"],
  [`<secrets><a>x</a><b>${S}</b></secrets>`, "<secrets>[redacted]</secrets>"],
  [`<user password="${S}"/>`, '<user password="[redacted]"/>'],
  [`password: |\n  ${S}\n  ${S}\nuser: b`, "password: [redacted]\nuser: b"],
  [`a:\n  secrets:\n    b: ${S}\n    c: ${S}\n  d: 1`, "a:\n  secrets:\n    [redacted]\n  d: 1"],
  [`tokens:\n- ${S}\n- ${S}\nuser: b`, "tokens:\n[redacted]\nuser: b"],
  [
    `[{"name":"DB_PASSWORD", "value":"${S}"},{"name":"a","value":"b"}]`,
    '[{"name":"DB_PASSWORD", "value":"[redacted]"},{"name":"a","value":"b"}]',
  ],
  [`user: b\npassword: horse ${S}\na: 1`, "user: b\npassword: [redacted]\na: 1"],
  [`mysql --password ${S} db`, "mysql --password [redacted] db"],
  [`run --api-key '${S} ${S}' now`, "run --api-key [redacted] now"],
  [`keytool -password ${S}`, "keytool -password [redacted]"],
  [`curl -u bob:${S} host`, "curl -u bob:[redacted] host"],
  [`pushed by ghp_${S}abcd to`, "pushed by [redacted] to"],
  [`github_pat_11ABCD_${S}`, "[redacted]"],
  [`sk_live_${S}`, "[redacted]"],
  [`xoxb-12-34-${S}`, "[redacted]"],
  [`AKIA${S.toUpperCase()}`, "[redacted]"],
  [`the key sk-proj-${S} is`, "the key [redacted] is"],
  [`glpat-${S} and npm_${S}`, "[redacted] and [redacted]"],
];

const SHOWN: readonly string[] = [
  "the secret of success is a token of trust",
  "password is wrong",
  "TokenInvalid: no such user",
  "key: value, code=7",
  "2026-01-01T00:00:00.000Z",
  "Usage: framework status <token> [options]",
  "use --password to set it",
  "the option --token requires an argument",
  "--token is required, --secret must be given",
  "CSS--token-color",
  "a well-known x-token header",
  "http://host:8080/a@b",
  "http://[::1]:8080/@x",
  "https://example.com/@ann/post?page=2",
  "see //team@example, mail to ann@example.com",
  "git@github.com:a/b.git",
  "new Map<Token>(3)",
  "<p>hello</p><b>Password</b>",
  "a => b, c -> d, e := f",
  "foo.token->",
  "Duplicate entry '1' for key 'users.id'",
  "Key (id)=(17) already exists.",
  "the row contains nothing",
  "PASSWORD must have 8 characters",
  "-----BEGIN PUBLIC KEY-----abc-----END PUBLIC KEY-----",
  "sk-learn-something-new-today",
  "risk-management-and-controls",
  "npm_lifecycle_script",
  "the-disk-usage-of-the-machine",
  "a basic example for the bearer of news",
  "eyJ is how they begin",
  "total=99.50, status: paid",
  "compass: north, passenger: ann, monkey=1",
  "max_tokens: 100, tokenizer=bpe",
  "rawHeadersCount: 3",
  '{"name":"colour","value":"red"}',
  "GET /orders/17?page=2 200",
  "Error: broken\n    at charge (file:///app/charge.js:12:9)",
  "user: ann\nroles:\n  - admin\n  - editor",
  "curl -u needs a user",
  "git diff --stat -- src/token.ts",
  "x == y, a === b",
  "next=%2Flogin%3Fpage%3D2",
];

describe("a text without its credentials", () => {
  test("has none of those that have a telling name or shape", () => {
    assert.ok(MASKED.length >= 40);
    for (const [text, masked] of MASKED) assert.equal(withoutCredentials(text), masked);
  });

  test("is what it was where it has none", () => {
    assert.ok(SHOWN.length >= 40);
    for (const text of SHOWN) assert.equal(withoutCredentials(text), text);
  });

  test("has none that is cut before its end", () => {
    for (const [text, masked] of [
      [`<password>${S}`, "<password>[redacted]"],
      [`https://bob:${S}`, "https://[redacted]"],
      [`-----BEGIN PGP PRIVATE KEY BLOCK-----\n${S}`, "[redacted]"],
      [`password: |\n  ${S}`, "password: [redacted]"],
      [`Key (token)=(${S}`, "Key (token)=[redacted]"],
    ] as const)
      assert.equal(withoutCredentials(text, true), masked);
  });

  test("has no token with a dot in it, wherever in a run of characters that begins", () => {
    // Says the same plainly, in time that grows with the square of the text.
    const token = /\beyJ[\w-]{4,}(?:\.[\w-]*){1,4}/g;
    const part = fc.constantFrom("eyJ", "-", ".", "a", "bcde", "_", " ", "ä", "/");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        assert.equal(withoutCredentials(text), text.replace(token, "[redacted]"));
      }),
      { numRuns: 5000 },
    );
    assert.equal(withoutCredentials("id-eyJhbGciOiJI.eyJzdWIi.c2ln, ok"), "id-[redacted], ok");
  });

  // Each takes milliseconds; in time that grows with the square, a quarter of a minute and more.
  for (const [shape, piece] of [
    ["begins tokens that never end", "-eyJ"],
    ["begins tokens behind dots", ".eyJaaaa"],
    ["names a scheme again and again", "Bearer "],
    ["has a scheme before spaces", `Bearer${" ".repeat(1000)}`],
    ["has a scheme before what is none", `Bearer ${"a".repeat(1000)} `],
    ["begins keys", "-----BEGIN PRIVATE KEY-----"],
    ["begins and nearly ends keys", "-----BEGIN PRIVATE KEY----- -----END "],
    ["has addresses without a name", "://a:a"],
    ["has names of secrets", "password="],
    ["has blanks before signs", `a${" ".repeat(31)}=`],
    ["has escapes before signs", `${"\\".repeat(31)}"=`],
    ["has texts that do not end", 'token:"'],
    ["offers subprotocols", "sec-websocket-protocol: a.token-, "],
    ["opens elements", "<token>"],
    ["opens elements of many names", "<a0token><a1token><a2token><a3token>"],
    ["opens and closes elements", "<token></tokens>"],
    ["names flags", "--password "],
    ["begins flags", `-${"a".repeat(64)} `],
    ["begins tokens of an issuer", "sk-"],
    ["begins blocks of YAML", "token: |\n"],
    ["nests YAML", "token:\n "],
    ["quotes columns", "(token)=("],
    ["quotes columns on lines", "(token)=(\n"],
    ["has users without a host", "://a:b"],
    ["has entries", "Duplicate entry '"],
    ["has rows", "row contains ("],
    ["has names of values", '"name":"token","value":"'],
    ["has passwords in SQL", "PASSWORD '"],
    ["has users of curl", " -u a:"],
  ] as const)
    test(`takes time in proportion to its length where it ${shape}`, () => {
      const text = piece.repeat(Math.ceil(160_000 / piece.length));
      const began = performance.now();
      withoutCredentials(text, true);
      withoutCredentials(piece.repeat(2).trimEnd() + text, true);

      assert.ok(performance.now() - began < 10_000);
    });
});
