// Lines of cookies. mutate.mjs says what a row is.

const COOKIES = "native-tests/http/answer/cookies";

export default [
  [
    "cookies: a seal is bound to the name",
    "src/http/answer/cookies/sealed-cookie.ts",
    "update(`${name}=${signed}`)",
    "update(signed)",
    COOKIES,
  ],
  [
    "cookies: the name of an encrypted one",
    "src/http/answer/cookies/sealed-cookie.ts",
    "    decipher.setAAD(Buffer.from(`${name}=${id}`));\n",
    "    decipher.setAAD(Buffer.from(`sid=${id}`));\n",
    COOKIES,
  ],
  [
    "cookies: a mac is compared whole",
    "src/http/answer/cookies/sealed-cookie.ts",
    "given.length !== expected.length || !timingSafeEqual(given, expected)",
    "given.length !== expected.length",
    COOKIES,
  ],
  [
    "cookies: one text for one content",
    "src/http/answer/cookies/sealed-cookie.ts",
    ' || bytes.toString("base64url") !== text',
    "",
    COOKIES,
  ],
  [
    "cookies: the seal expires",
    "src/http/answer/cookies/sealed-cookie.ts",
    'if (expires !== "" && Number(expires) <= this.#seconds())',
    'if (expires === "never")',
    COOKIES,
  ],
  [
    "cookies: what the prefix of a name needs",
    "src/http/answer/cookies/set-cookie.ts",
    'if (prefix === "__host-" &&',
    'if (prefix === "__none-" &&',
    COOKIES,
  ],
  [
    "cookies: secrets that could be guessed",
    "src/http/answer/cookies/cookie-keys.ts",
    "bytes < MIN_SECRET_BYTES",
    "bytes < 1",
    COOKIES,
  ],
];
