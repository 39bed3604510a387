// What a handshake of WebSocket offers as subprotocols: names are read, credentials are not.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { withoutCredentials } from "#schema/credential-text.js";
import { HiddenTexts } from "#schema/hidden-texts.js";
import { offeredProtocols, offersProtocols } from "#schema/offered-protocols.js";
import { compileRedactor } from "#schema/redactor.js";
import { PlainValues } from "#telemetry/plain-value.js";

const HEADER = "sec-websocket-protocol";
const shown = (list: string): string => offeredProtocols(list).shown;

/** A token as programs make them: it has both cases and digits in no order of a word's. */
const token = fc
  .string({ unit: fc.constantFrom(..."abcXYZ059-_"), minLength: 8, maxLength: 60 })
  .map((text) => `t0K${text}9zQ`);

const name = fc.constantFrom(
  ...["chat", "chat.v1", "graphql-transport-ws", "graphql-ws", "mqtt", "mqttv3.1", "v12.stomp", "ocpp2.0.1"],
  ...["framework.inspector.v1", "base64.binary.k8s.io", "wamp.2.msgpack", "actioncable-v1-json", "LE_WS"],
  ...["MBWS.huawei.com", "protobuf.reliable.webpubsub.azure.v1", "xmpp", "openai-beta.realtime-v1"],
);

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
  test("shows what is a protocol's name", () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
        assert.deepEqual(offeredProtocols(names.join(", ")), { shown: names.join(", "), secrets: [] });
      }),
    );
  });

  for (const [says, written] of CARRIED)
    test(`shows no token that is offered as '${says}...', and finds it again as a step reads it`, () => {
      fc.assert(
        fc.property(fc.array(name, { maxLength: 3 }), name, token, (before, behind, text) => {
          const list = [...before, says + written(text), behind].join(",");
          const { shown: seen, secrets } = offeredProtocols(list);
          const hidden = new HiddenTexts();
          hidden.addOf(secrets);

          assert.equal(seen, [...before, `${says}[redacted]`, behind].join(", "));
          assert.ok(!hidden.masked(`it is ${text}, as ${written(text)}`).includes(text), seen);
          assert.ok(!hidden.masked(`it is ${written(text)}`).includes(written(text)), seen);
        }),
      );
    });

  test("shows nothing of what a word before it calls a secret, whatever it looks like", () => {
    assert.equal(shown("bearer.hunter"), "bearer.[redacted]");
    assert.equal(shown("access_token, hunter, chat"), "access_token, [redacted], chat");
    assert.equal(shown("token, , hunter"), "token, , [redacted]");
    assert.equal(shown("ticket.abc.def"), "ticket.[redacted]");
    assert.equal(shown("bearer."), "bearer.");
    assert.equal(shown("1234, 550e8400-e29b-41d4-a716-446655440000"), "[redacted], [redacted]");
  });

  test("finds again what is percent-encoded in it", () => {
    assert.deepEqual(offeredProtocols("bearer.a%2Fb%3Dc").secrets, ["a%2Fb%3Dc", "a/b=c"]);
  });

  test("is read as far as 64 of them, and no further", () => {
    const names = Array.from({ length: 70 }, (_, i) => `chat.v${i}`);
    const { shown: seen, secrets } = offeredProtocols(names.join(", "));

    assert.equal(seen, [...names.slice(0, 64), "[redacted]"].join(", "));
    assert.deepEqual(secrets, [names.slice(64).join(", ")]);
  });

  test("is masked where it has more words than a protocol's name, of which each is looked at with those before it", () => {
    const words = (count: number) => Array.from({ length: count }, () => "a").join("-");

    assert.equal(shown(words(16)), words(16));
    assert.equal(shown(words(17)), "[redacted]");
    assert.equal(shown(`chat.${words(16)}`), "chat.[redacted]");
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
  const masked = "chat.v1, bearer.[redacted]";
  const redactor = compileRedactor();

  test("is shown so as a member and as a value of a Bus, and what it hides is hidden elsewhere", () => {
    const hidden = new HiddenTexts();

    assert.deepEqual(redactor.redact({ [HEADER]: offered }).value, { [HEADER]: masked });
    assert.equal(redactor.redact(offered, `header:${HEADER}`, hidden).value, masked);
    assert.equal(redactor.redact("a s3cr3tly b", "note", hidden).value, "a [redacted] b");
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
      [`${HEADER}=access_token, hunter`, `${HEADER}=access_token, [redacted]`],
      [`{"${HEADER}":"${offered}","a":1}`, `{"${HEADER}":"${masked}","a":1}`],
      [`{ '${HEADER}': '${offered}' }`, `{ '${HEADER}': '${masked}' }`],
      [JSON.stringify(`{"${HEADER}":"${offered}"}`), JSON.stringify(`{"${HEADER}":"${masked}"}`)],
    ] as const) {
      assert.equal(withoutCredentials(text), seen);
      assert.equal(withoutCredentials(seen), seen, "what is masked stays as it is");
    }
  });
});
