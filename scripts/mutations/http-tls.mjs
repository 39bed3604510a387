// Lines of TLS. mutate.mjs says what a row is.

const TLS_FILES = "native-tests/http/tls/credentials.test.ts";
const TLS_RELOAD = "native-tests/http/tls/reload.test.ts";

export default [
  [
    "tls: a key is that of its certificate",
    "src/http/tls/credentials.ts",
    "  requireMatch(pair, chain, key);\n",
    "",
    TLS_FILES,
  ],
  [
    "tls: an issuer's name alone signs nothing",
    "src/http/tls/certificate-chain.ts",
    "!certificate.verify(issuer.certificate.publicKey)",
    "false",
    TLS_FILES,
  ],
  [
    "tls: each certificate of a chain is valid now",
    "src/http/tls/certificate-chain.ts",
    "    checkDates(file, link, now);\n",
    "",
    TLS_FILES,
  ],
  [
    "tls: what cannot be served is told once",
    "src/http/tls/certificate-watch.ts",
    "    this.#readAs = state;\n",
    "",
    TLS_RELOAD,
  ],
  [
    "tls: what could not be served is tried again",
    "src/http/tls/certificate-watch.ts",
    "this.#now() - this.#failedAt >= RETRY_MS;",
    "false;",
    "native-tests/http/tls/certificate-watch.test.ts",
  ],
  [
    "tls: files that are written while they are read are no failure",
    "src/http/tls/certificate-watch.ts",
    "if ((await stateOf(this.#options.plan)) !== state) return;",
    "",
    "native-tests/http/tls/certificate-watch.test.ts",
  ],
];
