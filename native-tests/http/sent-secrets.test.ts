// What reporters are told of a failure, and what they can show of it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  combine,
  cookie,
  emit,
  eventKind,
  Framework,
  fault,
  form,
  guard,
  header,
  json,
  layer,
  multipart,
  pass,
  path,
  query,
  type Report,
  Sensitive,
  Type,
} from "framework";
import type { DeadLetter, IdempotencyStore } from "framework/core";
import type { ExtractedOf } from "framework/http";
import { IdempotencyGuard, MemoryIdempotency } from "framework/std";

import { reportsOf } from "../support/told-reports.js";

const secretAt = (place: string): string => `s3cr3t-of-${place}-0123456789`;

const shownOf = ({ message, withoutSecrets }: Report): string => withoutSecrets?.(message) ?? message;

const input = combine({
  at: path(Type.Object({ token: Type.String() })),
  asked: query(Type.Object({ session: Type.String() })),
  head: header(Type.Object({ "x-api-key": Type.String() })),
  cookies: cookie(Type.Object({ sid: Type.String() })),
  body: json(Type.Object({ deep: Type.Object({ iban: Sensitive(Type.String()) }), note: Type.String() })),
});
const payment = {
  query: { session: secretAt("query") },
  headers: { "x-api-key": secretAt("header") },
  cookies: { sid: secretAt("cookie") },
  json: { deep: { iban: secretAt("mark") }, note: "in the open" },
};
const quoting = Axon.start<ExtractedOf<typeof input>>("pay").thenFn("refuse", (all) => {
  throw new Error(`it cannot take ${Object.values(all).map((part) => JSON.stringify(part))}`);
});

describe("a report of a request", () => {
  for (const [how, around] of [
    ["", undefined],
    [", whose input is read behind a guard", guard({ name: "door", run: (given) => pass(given) })],
  ] as const)
    test(`is shown without what the request has sent as a secret${how}`, async () => {
      const { reports, logged } = await reportsOf(
        Framework.http().post("/pay/:token", quoting, { input, ...(around && { guards: [around] }) }),
        (app) => app.post(`/pay/${secretAt("path")}`, payment),
      );

      const [report = assert.fail()] = reports;
      assert.match(report.message, /s3cr3t-of-mark/);
      assert.ok(report.error instanceof Error);
      assert.doesNotMatch(shownOf(report), /s3cr3t/);
      assert.match(shownOf(report), /in the open/);
      assert.match(logged, /it cannot take/);
      assert.doesNotMatch(logged, /s3cr3t/);
    });

  test("of a form is shown without its fields of a secret's name, of any kind of form", async () => {
    const Login = Type.Object({ password: Type.String() });
    const parts = multipart();
    const quotes = (given: unknown) => fault({ reason: JSON.stringify(given) });
    const { reports, logged } = await reportsOf(
      Framework.http()
        .post("/form", Axon.start<typeof Login.static>("form").thenFn("quote", quotes), {
          input: form(Login),
        })
        .post(
          "/parts",
          Axon.start<ExtractedOf<typeof parts>>("parts").thenFn("quote", ({ fields }) =>
            quotes(Object.values(fields)),
          ),
          { input: parts },
        ),
      async (app) => {
        await app.post("/form", {
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: `password=${secretAt("form")}`,
        });
        await app.post("/parts", {
          headers: { "content-type": "multipart/form-data; boundary=b" },
          body: `--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${secretAt("part")}\r\n--b--\r\n`,
        });
      },
    );

    assert.deepEqual(
      reports.map(({ code }) => code),
      ["FAULT_UNMAPPED", "FAULT_UNMAPPED"],
    );
    for (const report of reports) {
      assert.match(report.message, /s3cr3t/);
      assert.doesNotMatch(shownOf(report), /s3cr3t/);
    }
    assert.doesNotMatch(logged, /s3cr3t/);
  });

  for (const [what, sent] of Object.entries({
    "a browser's cookies": {
      headers: {
        cookie: [
          ...Array.from({ length: 90 }, (_, i) => `preference_${i}=value-number-${i}`),
          `sid=${secretAt("cookie")}`,
        ].join("; "),
      },
      note: "preference_7",
    },
    "secrets in its query": {
      headers: {},
      query: { session: Array.from({ length: 90 }, (_, i) => `${i}-of-the-query`).join(" ") },
      note: "open",
    },
    "secrets in its body": {
      headers: { "x-api-key": secretAt("header") },
      note: "open",
      keys: Array.from({ length: 90 }, (_, i) => `${i}-of-the-body`),
    },
  }))
    test(`is shown without its secrets, however many ${what} are, and with the names of its cookies`, async () => {
      const Login = Type.Object({
        apikey: Type.Array(Type.String()),
        note: Type.String(),
        password: Type.String(),
      });
      const read = combine({
        body: json(Login),
        head: header(Type.Object({ "x-api-key": Type.Optional(Type.String()) })),
        cookies: cookie(Type.Object({ sid: Type.Optional(Type.String()) })),
      });
      const { headers, note } = sent;
      const { reports } = await reportsOf(
        Framework.http().post(
          "/",
          Axon.start<ExtractedOf<typeof read>>("login").thenFn("refuse", ({ head, cookies, body }) => {
            throw new Error(`${body.password} ${head["x-api-key"]} ${cookies.sid} ${body.note}`);
          }),
          { input: read },
        ),
        (app) =>
          app.post("/", {
            headers,
            ...("query" in sent && { query: sent.query }),
            json: { password: secretAt("body"), apikey: "keys" in sent ? sent.keys : [], note },
          }),
      );

      const [report = assert.fail()] = reports;
      assert.match(report.message, /s3cr3t-of-body/);
      assert.doesNotMatch(shownOf(report), /s3cr3t/);
      assert.ok(shownOf(report).includes(note));
    });

  test("is shown without what a step has read of an encoded cookie", async () => {
    const sent = '{"id":"s3cr3t of a cookie"}';
    const { reports, logged } = await reportsOf(
      Framework.http().get(
        "/",
        Axon.start("read").thenFn(
          "refuse",
          (_, bus) => {
            throw new Error(`no session ${bus.get(cookie("sid"))}`);
          },
          { reads: [cookie("sid")] },
        ),
      ),
      (app) => app.get("/", { headers: { cookie: `sid=${encodeURIComponent(sent)}` } }),
    );

    const [report = assert.fail()] = reports;
    assert.match(report.message, /s3cr3t of a cookie/);
    assert.match(shownOf(report), /no session \[redacted\]/);
    assert.doesNotMatch(logged, /s3cr3t/);
  });

  test("of what fails after its run is shown without it too", async () => {
    const Given = Type.Object({ password: Type.String() });
    type Login = typeof Given.static;
    async function* quoting({ password }: Login) {
      if (password.endsWith("9")) throw new Error(`no stream for ${password}`);
      yield password;
    }
    async function* breaking({ password }: Login) {
      yield "begun";
      throw new Error(`no more for ${password}`);
    }
    const stuck = ({ password }: Login): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: true, value: undefined }),
        return: () => Promise.reject(new Error(`not stopped for ${password}`)),
      }),
    });
    const refusing = { send: ({ input }: DeadLetter) => Promise.reject(new Error(JSON.stringify(input))) };
    const Used = busKey<string>()("Used");
    const memory = new MemoryIdempotency();
    const store: IdempotencyStore = {
      claim: (...args) => memory.claim(...args),
      keep: (_, answer) => {
        throw new Error(`not kept: ${Buffer.from(answer?.body ?? "")}`);
      },
      release: (lease) => memory.release(lease),
    };
    const { reports, logged } = await reportsOf(
      Framework.http()
        .provide(Used, () => "used", {
          dispose: () => {
            throw new Error(`not let go of ${secretAt("body")}`);
          },
        })
        .post(
          "/used",
          Axon.start("used", Given).thenFn("use", (_, bus) => bus.get(Used), { reads: [Used] }),
        )
        .post("/quoting", Axon.start("quoting", Given).thenFn("stream", quoting))
        .post("/breaking", Axon.start("breaking", Given).thenFn("stream", breaking))
        .post("/unsent", Axon.start("unsent", Given).thenFn("stream", stuck), {
          layers: [layer({ name: "instead", run: async (_, next) => void (await next()) })],
        })
        .post(
          "/letter",
          Axon.start("letter", Given)
            .thenFn("fail", () => fault("no" as const))
            .withDlqSink(refusing),
        )
        .post(
          "/keyed",
          Axon.start("keyed", Given).thenFn("echo", ({ password }) => password),
          {
            guards: [new IdempotencyGuard({ store })],
          },
        ),
      async (app) => {
        for (const to of ["/used", "/quoting", "/breaking", "/unsent", "/letter", "/keyed"])
          await app
            .post(to, { json: { password: secretAt("body") }, headers: { "idempotency-key": "one" } })
            .catch(() => {});
      },
    );

    assert.deepEqual([...new Set(reports.map(({ code }) => code))].sort(), [
      "ANSWER_FAILED",
      "DEAD_LETTER_LOST",
      "DISPOSE_FAILED",
      "FAULT_UNMAPPED",
      "IDEMPOTENCY_FAILED",
      "STEP_PANIC",
      "STREAM_FAILED",
    ]);
    for (const { code, error, withoutSecrets } of reports) {
      if (code !== "FAULT_UNMAPPED") assert.match(String(error), /s3cr3t/, code);
      assert.doesNotMatch(withoutSecrets?.(String(error)) ?? String(error), /s3cr3t/, code);
    }
    assert.equal(reports.filter(({ code }) => code === "STREAM_FAILED").length, 2);
    assert.doesNotMatch(logged, /s3cr3t/);
  });

  test("of an event's sink or a compensation is shown without it too", async () => {
    const Told = eventKind<string>()("told");
    const Given = Type.Object({ password: Type.String() });
    const { reports, logged } = await reportsOf(
      Framework.http()
        .post(
          "/tell",
          Axon.start("tell", Given)
            .thenFn("tell", ({ password }) => emit(Told, password, "told"), { emits: [Told] })
            .withEventSink({ send: async ({ payload }) => Promise.reject(new Error(`no ${payload}`)) }),
        )
        .post(
          "/undo",
          Axon.start("undo", Given)
            .thenCompensated(
              Axon.start<typeof Given.static>("do")
                .thenFn("do", (given) => given)
                .asTransition(),
              ({ input }) => {
                throw new Error(`not ${input.password}`);
              },
            )
            .thenFn("fail", () => fault("no" as const)),
        ),
      async (app) => {
        for (const to of ["/tell", "/undo"]) await app.post(to, { json: { password: secretAt("sink") } });
      },
    );

    assert.deepEqual(reports.map(({ code }) => code).sort(), [
      "COMPENSATION_FAILED",
      "EVENT_SINK_FAILED",
      "FAULT_UNMAPPED",
    ]);
    assert.match(logged, /no \[redacted\]/);
    assert.match(logged, /not \[redacted\]/);
    assert.doesNotMatch(logged, /s3cr3t/);
  });
});
