// What reports show of what lasts longer than its request, and of what fails beside its route.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  cookie,
  EventChannel,
  emit,
  eventKind,
  Framework,
  fault,
  header,
  json,
  layer,
  ProblemDetail,
  type Report,
  Sensitive,
  Type,
  type WebSocketClose,
  WebSocketConnection,
  type WebSocketSession,
} from "framework";
import type { DeadLetter } from "framework/core";
import type { TestApp } from "framework/http";
import { Dispatcher } from "#http/dispatcher.js";
import { InFlight } from "#http/in-flight.js";
import { SentSecrets, withoutKept } from "#http/sent-secrets.js";
import { RootFolder } from "#http/static/root-folder.js";
import { MemoryRequest } from "#http/testing/memory-request.js";
import { openedExchange } from "../support/opened-exchange.js";
import { RecordedResponse } from "../support/recorded-response.js";
import { refused } from "../support/refused-handshake.js";
import { site } from "../support/site.js";
import { reportsOf } from "../support/told-reports.js";

const secretAt = (place: string): string => `s3cr3t-of-${place}-0123456789`;
const credentials = {
  query: { access_token: secretAt("query"), page: "7" },
  headers: { "x-api-key": secretAt("header") },
  cookies: { sid: secretAt("cookie"), theme: "darkness" },
};
const facts = [header("x-api-key"), cookie("sid")] as const;
const all = ["header", "cookie", "query", "path"].map(secretAt).join(" and ");

/** Of each: that it quoted secrets, and shows none, and what is none. */
function requireMasked(reports: readonly Report[], logged: string, open: string): void {
  for (const { code, message, error, withoutSecrets = assert.fail(code) } of reports) {
    const told = `${message} ${String(error instanceof Error ? error : JSON.stringify(error))}`;
    assert.match(told, /s3cr3t/, code);
    assert.doesNotMatch(withoutSecrets(told), /s3cr3t/, code);
    assert.ok(withoutSecrets(told).includes(open), `${code}: ${withoutSecrets(told)}`);
  }
  assert.doesNotMatch(logged, /s3cr3t/);
  assert.ok(logged.includes(open));
}

const Said = Type.Object({
  how: Type.String(),
  note: Type.String(),
  password: Type.String(),
  account: Type.Object({ iban: Sensitive(Type.String()) }),
});
type Said = typeof Said.static;
const saying = (how: string): Said => ({
  how,
  note: "in the open",
  password: secretAt("password"),
  account: { iban: secretAt("mark") },
});
const quoted = ({ note, password, account }: Said, state: unknown): string =>
  `${note}: ${password}, ${account.iban} of ${state}`;

/** What a connection's state has of its handshake. */
const opening = Axon.start<WebSocketSession>("open").thenFn(
  "remember",
  (_, bus) => `${facts.map((fact) => bus.find(fact)).join()} ${secretAt("query")} ${secretAt("path")}`,
  { mayRead: facts },
);

/** Sends messages on a connection of its own each, and ends it. */
const say =
  (to: string, ...messages: readonly unknown[]) =>
  async (app: TestApp<any>): Promise<void> => {
    for (const message of messages) {
      const socket = await app.ws(to, credentials);
      socket.send(JSON.stringify(message));
      await Promise.race([socket.next(), socket.closed]);
      await socket.close(1000, "in the open");
    }
  };

describe("a report of a WebSocket's messages", () => {
  test("is shown without what the message and its handshake have sent as secrets", async () => {
    const ingress = Framework.http().ws("/chat/:token", {
      schema: Said,
      open: opening,
      message: async (said, { state }) => {
        if (said.how === "later") await new Promise((resolve) => setImmediate(resolve));
        if (said.how === "fault") return fault({ kind: "Refused", reason: quoted(said, state) });
        if (said.how !== "unwritable") throw new Error(quoted(said, state));
        return {
          toJSON: () => {
            throw new Error(quoted(said, state));
          },
        };
      },
    });
    const { reports, logged } = await reportsOf(
      ingress,
      say(`/chat/${secretAt("path")}`, ...["throw", "later", "fault", "unwritable"].map(saying)),
    );

    assert.deepEqual(
      reports.map(({ code }) => code),
      ["STEP_PANIC", "STEP_PANIC", "FAULT_UNMAPPED", "ANSWER_FAILED"],
    );
    requireMasked(reports, logged, "in the open");
  });

  test("is shown so where what stands around its run fails", async () => {
    const Told = eventKind<string>()("told");
    const Used = busKey<string>()("Used");
    const texts: string[] = [];
    const ingress = Framework.http()
      .provide(Used, () => "used", {
        dispose: () => {
          throw new Error(texts.join());
        },
      })
      .ws("/chat/:token", {
        open: opening,
        message: Axon.start("chat", Said)
          .thenFn(
            "tell",
            (said, bus) => {
              texts.push(bus.get(Used), quoted(said, bus.get(WebSocketConnection).state));
              return emit(Told, texts.join(), said);
            },
            { reads: [Used, WebSocketConnection], emits: [Told] },
          )
          .thenFn("refuse", (said) => fault({ kind: "Refused", reason: quoted(said, "nothing") }))
          .withEventSink({ send: ({ payload }) => Promise.reject(new Error(String(payload))) })
          .withDlqSink({ send: ({ input }: DeadLetter) => Promise.reject(new Error(JSON.stringify(input))) }),
      });
    const { reports, logged } = await reportsOf(ingress, say(`/chat/${secretAt("path")}`, saying("fault")));

    assert.deepEqual(reports.map(({ code }) => code).sort(), [
      "DEAD_LETTER_LOST",
      "DISPOSE_FAILED",
      "EVENT_SINK_FAILED",
      "FAULT_UNMAPPED",
    ]);
    requireMasked(reports, logged, "in the open");
  });

  test("and one of its end is shown without its handshake's secrets, also where it never opened", async () => {
    const flow = {
      open: opening,
      message: () => "taken",
      close: ({ reason }: WebSocketClose, { state }: WebSocketConnection<string>) => {
        throw new Error(`${reason || "in the open"} ${state}`);
      },
    };
    const instead = layer({
      name: "instead",
      run: async (_, next) => {
        await next();
        return fault(new ProblemDetail({ status: 418, code: "TEAPOT", title: "Short and stout" }));
      },
    });
    const ingress = Framework.http()
      .ws("/chat/:token", flow)
      .ws("/never/:token", { ...flow, layers: [instead] });
    const { reports, logged } = await reportsOf(ingress, async (app) => {
      await say(`/chat/${secretAt("path")}`, "anything")(app);
      await refused(app.ws(`/never/${secretAt("path")}`, credentials));
    });

    assert.deepEqual(
      reports.map(({ code }) => code),
      ["CLOSE_FAILED", "CLOSE_FAILED"],
    );
    requireMasked(reports, logged, "in the open");
  });
});

describe("a report of an open feed", () => {
  test("is shown without what its request has sent as secrets", async () => {
    const told = `in the open: ${all}`;
    const fails = (): never => {
      throw new Error(told);
    };
    const ticks = new EventChannel<number>({ name: "ticks" });
    const asked = (name: string) =>
      Axon.start(name).thenFn("ask", (_, bus) => facts.map((fact) => bus.find(fact)), { mayRead: facts });
    const ingress = Framework.http()
      .sse(
        "/source/:token",
        asked("source").thenFn("make", async function* () {
          yield { data: 1 };
          fails();
        }),
      )
      .sse(
        "/first/:token",
        asked("first").thenFn("listen", () => ticks.subscribe({ first: fails })),
      )
      .sse(
        "/closed/:token",
        asked("closed").thenFn("listen", () => ticks.subscribe({ onClose: fails })),
      );
    const { reports, logged } = await reportsOf(ingress, async (app) => {
      for (const feed of ["source", "first", "closed"]) {
        // One that fails at once has no answer.
        const events = await app.sse(`/${feed}/${secretAt("path")}`, credentials).catch(() => undefined);
        if (feed === "source") await events?.next();
        if (feed === "closed") await events?.close();
        else await events?.next();
      }
    });

    assert.deepEqual(
      reports.map(({ code, axon }) => `${code} ${axon}`),
      ["EVENTS_FAILED source", "EVENTS_FAILED first", "EVENTS_FAILED closed"],
    );
    requireMasked(reports, logged, "in the open");
  });

  test("masks what looks like a credential where its request has sent no secret", async () => {
    const broken = Axon.start("broken").thenFn("make", async function* () {
      yield { data: 1 };
      throw new Error("in the open, at https://ada:s3cr3t@other.example/");
    });
    const { reports, logged } = await reportsOf(Framework.http().sse("/", broken), async (app) => {
      const events = await app.sse("/", { query: { page: "7" } });
      await events.next();
      await events.next();
    });

    requireMasked(reports, logged, "in the open");
  });
});

test("a connection keeps its request's input where that has something marked, and nothing else", () => {
  const schema = Type.Object({ note: Type.String(), iban: Type.Optional(Sensitive(Type.String())) });
  const axon = Axon.start<typeof schema.static>("open").thenFn("open", () => "opened");
  const { plan } = Framework.http().post("/", axon, { input: json(schema) });
  const secrets = new SentSecrets(plan.routes[0] ?? assert.fail(), []);
  const keptOf = (input: typeof schema.static) => {
    const { exchange } = openedExchange();
    exchange.own().input = input;
    return secrets.secretsOf(exchange);
  };

  assert.equal(keptOf({ note: "a long note in the open" }), null);
  const shown = withoutKept(keptOf({ note: "in the open", iban: secretAt("mark") }));
  assert.equal(shown(`in the open: ${secretAt("mark")}`), "in the open: [redacted]");
});

test("a report of a file that cannot be read is shown without its request's secrets", async (t) => {
  const { open } = RootFolder.prototype;
  let opened = 0;
  t.mock.method(RootFolder.prototype, "open", function (this: RootFolder, path: string) {
    opened += 1;
    // First it is looked at.
    return opened === 1
      ? open.call(this, path)
      : Promise.reject(new Error(`in the open: ${secretAt("query")}`));
  });
  const ingress = Framework.http().serveDir("/", site({ "a.txt": "A" }), {
    cache: false,
    precompressed: false,
  });
  const { reports, logged } = await reportsOf(ingress, (app) => app.get("/a.txt", credentials));

  assert.deepEqual(
    reports.map(({ code }) => code),
    ["FILE_UNREAD"],
  );
  requireMasked(reports, logged, "in the open");
});

describe("a report of a request that fails before its route is known", () => {
  const sent: readonly (readonly [string, string])[] = [
    ["Host", "a"],
    ["X-Api-Key", secretAt("header")],
    ["Cookie", `theme=darkness; sid=${secretAt("cookie")}`],
  ];

  for (const [how, query] of [
    ["a query", `access_token=${secretAt("query")}&page=7`],
    ["a query that cannot be read", `access_token=${secretAt("query")}&page=%zz`],
  ] as const)
    test(`is shown without what its head and ${how} have as secrets`, () => {
      class BrokenRequest extends MemoryRequest {
        override getUrl(): string {
          throw new Error(`in the open: ${["header", "cookie", "query"].map(secretAt)}`);
        }
      }
      const reports: Report[] = [];
      const { plan } = Framework.http({ reporter: (report) => reports.push(report) });
      new Dispatcher(plan, {}, new InFlight(plan)).handle(
        new RecordedResponse(),
        new BrokenRequest("GET", `/?${query}`, sent),
        "GET",
      );

      assert.deepEqual(
        reports.map(({ code }) => code),
        ["INGRESS_FAILED"],
      );
      requireMasked(reports, "in the open", "in the open");
    });

  test("is shown as it is where not even its head can be read", () => {
    class BrokenRequest extends MemoryRequest {
      override getUrl(): string {
        throw new Error("a defect");
      }
      override forEach(): void {
        throw new Error("another");
      }
    }
    const reports: Report[] = [];
    const { plan } = Framework.http({ reporter: (report) => reports.push(report) });
    new Dispatcher(plan, {}, new InFlight(plan)).handle(
      new RecordedResponse(),
      new BrokenRequest("GET", "/", sent),
      "GET",
    );

    assert.equal(reports[0]?.withoutSecrets?.("a defect"), "a defect");
  });
});
