// A request that is sent again: filled in from its run, stored without secrets, copied as a command.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Exchanged, Payload, Trace } from "../../../src/inspector/api/traces.js";
import { withoutSecrets } from "../../../src/inspector/ui/views/send/drafts.js";
import {
  curlOf,
  type Draft,
  type DraftRoute,
  draftOf,
  missingIn,
} from "../../../src/inspector/ui/views/send/request-draft.js";
import { traceOf } from "../../support/inspector-fixture-runs.js";
import { busyState } from "../../support/inspector-fixture-state.js";

const route: DraftRoute = {
  path: "/orders/:token/lines",
  body_type: "application/json",
  input_schema: {
    type: "object",
    properties: {
      sku: { type: "string" },
      phone: { type: "string", "x-sensitive": true },
      lines: { type: "array", items: { type: "object", properties: { note: { "x-sensitive": true } } } },
    },
  } as never,
  parameters_schema: null,
};
const full = (value: unknown): Payload => ({ kind: "full", value, is_cut: false });
const OFF: Payload = { kind: "off" };
const PLANTED = "hunter2-planted";

function sent(parts: Partial<Exchanged>, path = "/orders/[redacted]/lines"): Trace {
  const row = busyState().runs[0];
  assert.ok(row?.request);
  const { exchange: _, ...trace } = traceOf(row);
  const unread = { kind: "unread", why: "" } as const;
  const exchange: Exchanged = {
    client: { address: unread, identity: unread, pseudonym: unread },
    query: { names: [], values: OFF },
    headers: { names: [], values: OFF, unread: "" },
    body: { state: "none", content_type: "", length: 0, keys: [], value: OFF, unread: "" },
    response: { headers: { names: [], values: OFF }, body: OFF, length: 0, unread: "" },
    ...parts,
  };
  return { ...trace, run: { ...row, request: { ...row.request, path } }, exchange };
}

const body = (value: Payload): Exchanged["body"] => ({
  ...{ state: "refused", content_type: "application/json", length: 9, keys: [], value, unread: "" },
});

describe("the request of a run", () => {
  test("is filled in, and what was masked is empty and required", () => {
    const draft = draftOf(
      sent({
        query: { names: ["page", "key"], values: full({ page: "2", key: "[redacted]" }) },
        headers: {
          ...{ names: ["x-tenant", "authorization", "host"], values: full({ "x-tenant": "a" }), unread: "" },
        },
        body: body(full({ sku: "tea", phone: "[redacted]", lines: [{ note: "[redacted]" }] })),
      }),
      route,
    );

    assert.equal(draft.path, "/orders//lines?page=2&key=");
    assert.equal(draft.headers, "x-tenant: a\nauthorization: \ncontent-type: application/json");
    assert.deepEqual(JSON.parse(draft.body), { sku: "tea", phone: "", lines: [{ note: "" }] });
    assert.deepEqual(
      missingIn(draft).map(({ in: place, at }) => `${place} ${at}`),
      ["path 2", "query key", "header authorization", "body /phone", "body /lines/0/note"],
    );
  });

  test("is complete once each of these is filled in, wherever that is typed", () => {
    const draft = draftOf(sent({ body: body(full({ phone: "[redacted]" })) }), route);

    const filled = { ...draft, path: "/orders/t-1/lines", body: '{"phone":"1"}' };
    assert.deepEqual(missingIn(filled), []);
    assert.deepEqual(missingIn({ ...filled, body: '{"phone":""}' }), [{ in: "body", at: "/phone" }]);
  });

  test("without capture needs its values and its body", () => {
    const draft = draftOf(sent({ query: { names: ["page"], values: OFF }, body: body(OFF) }, "/a"), route);

    assert.deepEqual([draft.path, draft.body], ["/a?page=", ""]);
    assert.deepEqual(
      missingIn(draft).map(({ in: place, at }) => `${place} ${at}`),
      ["query page", "body "],
    );
  });

  test("of a form is written as a form", () => {
    const form = { ...route, body_type: "application/x-www-form-urlencoded" };
    const draft = draftOf(sent({ body: body(full({ a: "1 2", pin: "[redacted]" })) }, "/a"), form);

    assert.equal(draft.body, "a=1+2\n&pin=");
    assert.deepEqual(missingIn(draft), [{ in: "body", at: "/pin" }]);
    assert.deepEqual(missingIn({ ...draft, body: "a=1\n&pin=1" }), []);
  });

  test("is plain text, whatever its names are", () => {
    const hostile = JSON.parse('{"__proto__":{"a":"[redacted]"},"<b>":"\\u202e"}') as object;
    const draft = draftOf(sent({ body: body(full(hostile)) }, "/a"), route);

    assert.equal(Object.getPrototypeOf({}), Object.prototype);
    assert.deepEqual(missingIn(draft), [{ in: "body", at: "/__proto__/a" }]);
  });
});

describe("a stored request", () => {
  const typed: Draft = {
    path: `/orders/${PLANTED}/lines?page=2&api_key=${PLANTED}&ref=${PLANTED}`,
    headers: `authorization: Bearer ${PLANTED}\nCookie: a=${PLANTED}\nx-tenant: a`,
    body: JSON.stringify({ sku: "tea", phone: PLANTED, password: PLANTED, lines: [{ note: PLANTED }] }),
    holes: [{ in: "query", at: "ref" }],
  };

  test("has no credentials, and no field that a run, a name or a schema marks", () => {
    const stored = withoutSecrets(typed, route);

    assert.doesNotMatch(JSON.stringify(stored), new RegExp(PLANTED));
    assert.equal(stored.path, "/orders//lines?page=2&api_key=&ref=");
    assert.equal(stored.headers, "authorization: \nCookie: \nx-tenant: a");
    assert.equal((JSON.parse(stored.body) as { sku: string }).sku, "tea");
    assert.ok(missingIn(stored).some(({ at }) => at === "/lines/0/note"));
  });

  test("has no body that cannot be told apart, where its schema marks a field", () => {
    const stored = withoutSecrets({ ...typed, body: `{"phone": "${PLANTED}",` }, route);

    assert.equal(stored.body, "");
  });

  test("has no marked fields of a form", () => {
    const form = { ...route, body_type: "application/x-www-form-urlencoded" };
    const stored = withoutSecrets({ ...typed, body: `sku=tea\n&phone=${PLANTED}\n&pin=${PLANTED}` }, form);

    assert.doesNotMatch(JSON.stringify(stored), new RegExp(PLANTED));
  });
});

test("a command has credentials as variables, and no text that a shell reads", () => {
  const command = curlOf("POST", {
    path: "/a?q=$(id)",
    headers: `authorization: Bearer ${PLANTED}\ncookie: ${PLANTED}\nx-a: it's`,
    body: '{"a":"\'; rm -rf /"}',
  });

  assert.equal(
    command,
    [
      `curl -X POST "$URL"'/a?q=$(id)'`,
      `-H "authorization: Bearer $TOKEN"`,
      `-H "cookie: $COOKIE"`,
      `-H 'x-a: it'\\''s'`,
      `--data-raw '{"a":"'\\''; rm -rf /"}'`,
    ].join(" \\\n  "),
  );
});
