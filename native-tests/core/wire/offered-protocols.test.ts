// What a handshake of WebSocket offers as subprotocols: names are read, credentials are not.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Framework } from "framework";
import { withoutCredentials } from "#core/wire/credential-text.js";
import { declareProtocols, offersProtocols, shownProtocols as shown } from "#core/wire/offered-protocols.js";
import { compileRedactor } from "#schema/redaction/redactor.js";
import { PlainValues } from "#telemetry/logging/plain-value.js";

const HEADER = "sec-websocket-protocol";

/** A token as programs make them: it has both cases and digits in no order of a word's. */
const token = fc
  .string({ unit: fc.constantFrom(..."abcXYZ059-_"), minLength: 8, maxLength: 60 })
  .map((text) => `t0K${text}9zQ`);

const NAMES = ["chat.v1", "graphql-transport-ws", "v12.stomp", "ocpp2.0.1", "base64.binary.k8s.io", "LE_WS"];
declareProtocols(NAMES);
const declared = fc.constantFrom(...NAMES);
/** No route declares them. */
const foreign = fc.constantFrom("mqtt", "wamp.2.msgpack", "soap", "correct-horse-battery-staple");

/** How clients offer a credential: what says so, and how it is written behind that. */
const CARRIED: readonly (readonly [string, (token: string) => string])[] = [
  ["bearer.", (text) => text],
  ["Bearer, ", (text) => text],
  ["authorization.", (text) => `bearer.${text}`],
  ["base64url.bearer.", (text) => `authorization.k8s.io.${Buffer.from(text).toString("base64url")}`],
  ["access_token, ", (text) => text],
  ["ticket.", (text) => text],
  ["openai-insecure-api-key.", (text) => text],
  ["auth-", (text) => text],
  ["basic.", (text) => Buffer.from(`ada:${text}`).toString("base64url")],
  ["jwt, ", (text) => `eyJhbGciOiJI.c2lnbmF0.${text}`],
  ["chat.v1.", (text) => text],
  ["", (text) => text],
];

describe("an offer of subprotocols", () => {
  test("is shown where a route declares it, and nowhere else", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(declared, foreign), { minLength: 1, maxLength: 5 }), (names) => {
        const seen = names.map((name) => (NAMES.includes(name) ? name : "[redacted]")).join(", ");

        assert.equal(shown(names.join(",")), seen);
        assert.equal(shown(seen), seen, "what is masked stays as it is");
      }),
    );
  });

  test("is declared by a route of WebSocket", () => {
    assert.equal(shown("acme.v7"), "[redacted]");
    Framework.http().ws("/acme", { protocols: ["acme.v7"], message: () => undefined });

    assert.equal(shown("acme.v7, acme.v8"), "acme.v7, [redacted]");
  });

  for (const [says, written] of CARRIED)
    test(`shows no token that is offered as '${says}...'`, () => {
      fc.assert(
        fc.property(fc.array(declared, { maxLength: 3 }), foreign, token, (before, behind, text) => {
          const seen = shown([...before, says + written(text), behind].join(","));

          const masked = [...`${says}x`.split(","), behind].map(() => "[redacted]");
          assert.equal(seen, [...before, ...masked].join(", "));
        }),
      );
    });

  test("is masked whatever it looks like", () => {
    assert.equal(shown("bearer.hunter"), "[redacted]");
    assert.equal(shown("correct-horse, chat.v1"), "[redacted], chat.v1");
    assert.equal(shown("chat.v1x, CHAT.V1, chat.v1"), "[redacted], [redacted], chat.v1");
    assert.equal(shown("chat.v1, , hunter"), "chat.v1, , [redacted]");
  });

  test("is read as far as 64 of them, and no further", () => {
    const names = Array.from({ length: 70 }, () => "chat.v1");

    assert.equal(shown(names.join(", ")), [...names.slice(0, 64), "[redacted]"].join(", "));
  });

  test("is known by its header's name, however that is spelled, and by its key on a Bus", () => {
    for (const spelled of [HEADER, "Sec-WebSocket-Protocol", "secWebSocketProtocol", `header:${HEADER}`])
      assert.ok(offersProtocols(spelled), spelled);
    for (const other of ["protocol", "sec-websocket-version", "sec-websocket-protocol-note", ""])
      assert.ok(!offersProtocols(other), other);
  });
});

describe("the header of it", () => {
  const offered = "chat.v1, bearer.s3cr3tly";
  const masked = "chat.v1, [redacted]";
  const redactor = compileRedactor();

  test("is shown so as a member and as a value of a Bus", () => {
    assert.deepEqual(redactor.redact({ [HEADER]: offered }).value, { [HEADER]: masked });
    assert.equal(redactor.redact(offered, `header:${HEADER}`).value, masked);
    assert.equal(redactor.redact(undefined, `header:${HEADER}`).value, null);
  });

  test("is masked where it is no text", () => {
    assert.deepEqual(redactor.redact({ [HEADER]: ["chat", "bearer", "hunter"] }).value, {
      [HEADER]: "[redacted]",
    });
    assert.deepEqual(new PlainValues(new Set()).of({ [HEADER]: ["bearer", "hunter"] }), {
      [HEADER]: "[redacted]",
    });
  });

  test("is shown so in what is logged", () => {
    assert.deepEqual(new PlainValues(new Set()).of({ headers: { [HEADER]: offered } }), {
      headers: { [HEADER]: masked },
    });
  });

  test("is shown so in a text that quotes it", () => {
    for (const [text, seen] of [
      [`Sec-WebSocket-Protocol: ${offered}\nHost: a`, `Sec-WebSocket-Protocol: ${masked}\nHost: a`],
      [`${HEADER}=access_token, hunter`, `${HEADER}=[redacted], [redacted]`],
      [`{"${HEADER}":"${offered}","a":1}`, `{"${HEADER}":"${masked}","a":1}`],
      [`{ '${HEADER}': '${offered}' }`, `{ '${HEADER}': '${masked}' }`],
      [JSON.stringify(`{"${HEADER}":"${offered}"}`), JSON.stringify(`{"${HEADER}":"${masked}"}`)],
    ] as const) {
      assert.equal(withoutCredentials(text), seen);
      assert.equal(withoutCredentials(seen), seen, "what is masked stays as it is");
    }
  });
});
