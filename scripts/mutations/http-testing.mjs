// Lines of TestApp. mutate.mjs says what a row is.

const TEST_APP = "native-tests/http/testing";

export default [
  [
    "TestApp: a paused server is sent nothing",
    "src/http/exchange/memory/memory-response.ts",
    "    this.#pause = { over, end };\n",
    "",
    TEST_APP,
  ],
  [
    "TestApp: pieces end as chunks do",
    "src/http/testing/memory-exchange.ts",
    "if (!response.isEnded) response.deliver(new Uint8Array(), true);",
    "",
    TEST_APP,
  ],
  [
    "TestApp: hooks run before the first request",
    "src/http/testing/test-app.ts",
    "if (this.#plan.hooks.length + this.#plan.extensions.length > 0) await this.start();",
    "",
    TEST_APP,
  ],
  [
    "TestApp: a cookie is sent below its path alone",
    "src/http/testing/cookie-jar.ts",
    "      .filter((cookie) => isBelow(path, cookie.path))\n",
    "",
    TEST_APP,
  ],
];
