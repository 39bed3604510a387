// A text that a schema marks is in nothing that is written or shown, wherever it came in and travels
// under the mark or its property's name. The names say nothing: the marks alone hide the texts.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  busKey,
  combine,
  cookie,
  emit,
  eventKind,
  Framework,
  fault,
  header,
  json,
  Log,
  MemoryDeadLetters,
  MemoryRuns,
  path,
  query,
  Sensitive,
  Type,
} from "framework";
import { AuditLog, MemoryAuditSink } from "framework/audit";
import { type ExtractedOf, TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import { described, documentOf } from "framework/openapi";
import { AccessLogGuard } from "framework/std";

import { foundIn, type MadeSecret, makeSecret } from "../support/found-secrets.js";
import { keepLog } from "../support/logged-ingress.js";
import { until } from "../support/patience.js";

const OPERATOR = "operator-token-0123456789";

const marked = (level: "internal" | "confidential" | "restricted") =>
  Sensitive(Type.String({ maxLength: 60 }), { level, category: "name" });
const Pet = Type.Object({ moniker: marked("restricted"), age: Type.Integer() });
const Member = Type.Object({
  how: Type.String(),
  nick: marked("internal"),
  pets: Type.Array(Pet),
  tags: Type.Record(Type.String(), Sensitive(Type.String())),
});
const asked = combine({
  at: path(Type.Object({ ward: marked("confidential") })),
  query: query(Type.Object({ team: marked("restricted") })),
  head: header(Type.Object({ "x-crest": marked("confidential") })),
  cookies: cookie(Type.Object({ ribbon: marked("restricted") })),
  body: json(Member),
});
const Reply = Type.Object({ nick: marked("internal"), pets: Type.Array(Pet) });

const Told = eventKind<object>()("told");
const Kept = busKey<object>()("Kept");

type Places = "path" | "query" | "header" | "cookie" | "body" | "item" | "value";
const made = (): Readonly<Record<Places, MadeSecret>> => ({
  path: makeSecret("the path"),
  query: makeSecret("the query"),
  header: makeSecret("a header"),
  cookie: makeSecret("a cookie"),
  body: makeSecret("the body"),
  item: makeSecret("an item of a list"),
  value: makeSecret("a value of a record"),
});

async function clubOf(format: "json" | "pretty" | "compact") {
  const [audit, letters, runs] = [new MemoryAuditSink(), new MemoryDeadLetters(), new MemoryRuns()];
  const axon = Axon.start<ExtractedOf<typeof asked>>("club")
    .then(
      new AuditLog({
        ...{ action: "member.join", actor: "clerk", target: "club" },
        metadata: ({ at, query, body }) => ({
          ...at,
          ...query,
          nick: body.nick,
          pets: body.pets,
          tags: body.tags,
        }),
      }),
    )
    .thenFn(
      "take",
      ({ at, query, head, cookies, body }, bus) => {
        const all = { ...at, ...query, ...head, ...cookies, ...body };
        bus.get(Log).info({ body, all }, "taken");
        bus.set(Kept, all);
        return all;
      },
      { reads: [Log], writes: [Kept] },
    )
    .thenFn("tell", (all) => emit(Told, all, all), { emits: [Told] })
    .thenFn("use", (all) => {
      if (all.how === "fault") return fault({ kind: "Full", member: all });
      if (all.how === "throw") throw Object.assign(new Error("no room"), { member: all });
      return { nick: all.nick, pets: all.pets };
    })
    .withOutputSchema(Reply)
    .withEventSink({ send: () => {} })
    .withPersistenceStore(runs)
    .withDlqSink(letters);
  const ingress = Framework.http()
    .audit(audit)
    .guard(new AccessLogGuard({ headers: ["x-crest", "cookie"], query: true }))
    .post("/members/:ward", axon, { input: asked })
    .inspector({ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR }), capturePayloads: "full" });
  const log = keepLog(ingress, { format });
  const app = new TestApp(ingress);
  await app.start();
  const { app: inspector } = inspectorOf(ingress);
  return { app, inspector, ingress, audit, log };
}

/** Does everything that leaves something somewhere. Resolves to what is written and shown, by where that is. */
async function shownBy(secrets: Readonly<Record<Places, MadeSecret>>, format: "json" | "pretty" | "compact") {
  const { app, inspector, audit, log, ingress } = await clubOf(format);
  const shown: Record<string, string> = {};
  const keep = (sink: string, text: string): void => {
    shown[sink] = `${shown[sink] ?? ""}${text}\n`;
  };
  const ask = async (path: string) => {
    const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
    const { status, text, json } = await inspector.send("GET", `/api/v1${path}`, { headers });
    assert.equal(status, 200, `${path}: ${text}`);
    keep(path.replace(/(?<=\/(?:traces|runs)\/).*/, "..."), text);
    return (json as { readonly data: Record<string, readonly { readonly run_id: string }[]> }).data;
  };
  const join = (how: string, more: object = {}) =>
    app.post(`/members/${secrets.path.text}?team=${secrets.query.text}`, {
      headers: { "x-crest": secrets.header.text, cookie: `ribbon=${secrets.cookie.text}` },
      json: {
        ...{ how, nick: secrets.body.text, pets: [{ moniker: secrets.item.text, age: 1 }] },
        ...{ tags: { one: secrets.value.text }, ...more },
      },
    });
  const statuses: number[] = [];
  for (const how of ["fine", "fault", "throw"]) {
    const { status, text } = await join(how);
    statuses.push(status);
    // The output is the client's own.
    if (how !== "fine") keep("problems", text);
  }
  for (const more of [
    { nick: secrets.body.text.repeat(9) },
    { pets: secrets.item.text },
    { tags: [secrets.value.text] },
    { pets: [{ moniker: [secrets.item.text] }] },
  ]) {
    const { status, text } = await join("fine", more);
    statuses.push(status);
    keep("validation errors", text);
  }
  assert.deepEqual(statuses, [200, 500, 500, 422, 422, 422, 422]);
  await until("the letters are kept", async () => ((await ask("/dlq"))["letters"]?.length ?? 0) === 2);
  for (const { run_id } of (await ask("/traces"))["traces"] ?? []) await ask(`/traces/${run_id}`);
  await ask("/runs");
  await ask("/metrics");
  keep("log", log.text());
  keep("audit log", JSON.stringify(await audit.query()));
  keep("OpenAPI document", JSON.stringify(documentOf(described(ingress.routes()))));
  await app.close();
  await inspector.close();
  return shown;
}

describe("a text that a schema marks", () => {
  for (const format of ["json", "pretty", "compact"] as const)
    test(`is in nothing that is written or shown, with lines in ${format}`, async () => {
      const secrets = made();
      const shown = await shownBy(secrets, format);

      for (const sink of ["log", "audit log", "/traces/...", "/dlq", "problems", "validation errors"])
        assert.match(shown[sink] ?? "", /redacted|INPUT_INVALID|Full/, `${sink}: ${shown[sink]}`);
      // A problem says which path it is of, to the client that sent it.
      const { path, ...others } = secrets;
      for (const [sink, text] of Object.entries(shown)) {
        const isProblem = sink === "problems" || sink === "validation errors";
        assert.deepEqual(foundIn(text, Object.values(isProblem ? others : secrets)), [], sink);
      }
    });
});
