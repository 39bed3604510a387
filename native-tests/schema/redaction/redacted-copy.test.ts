import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { compileRedactor } from "#schema/redaction/redactor.js";
import { PLANTED, PUBLIC } from "../../support/planted-secrets.js";

const MASK = "[redacted]";
const shown = (value: unknown): unknown => compileRedactor().redact(value).value;

describe("a redacted copy shows no secret", () => {
  test("that a list has behind its name, or behind the flag of a program", () => {
    const given = {
      rawTrailers: ["X-Api-Key", PLANTED, "a", PUBLIC],
      headers: [["x-api-key", PLANTED]],
      argv: ["--password", PLANTED, "--plan", PUBLIC],
      required: ["password", PUBLIC],
      env: { key: "DB_PASSWORD", value: PLANTED },
    };

    assert.deepEqual(shown(given), {
      rawTrailers: ["X-Api-Key", MASK, "a", PUBLIC],
      headers: [["x-api-key", MASK]],
      argv: ["--password", MASK, "--plan", PUBLIC],
      required: ["password", PUBLIC],
      env: { key: "DB_PASSWORD", value: MASK },
    });
  });

  test("of an exception, but for its class and code, unless its members are asked for", () => {
    const error = Object.assign(new TypeError(PLANTED), { code: "E_CARD", detail: PUBLIC, port: 1 });

    assert.deepEqual(shown({ error }), { error: { type: "TypeError", code: "E_CARD" } });
    assert.deepEqual(compileRedactor({ errorMembers: true }).redact(error).value, {
      type: "TypeError",
      code: "E_CARD",
      detail: PUBLIC,
      port: 1,
    });
  });
});
