// A service that is handed secrets and takes them everywhere, by names and in shapes that
// say what they are: into outputs, the Bus, events, errors, letters, kept runs and its own
// log lines. Configured by variables; watched by an Inspector whose address it tells on
// stderr.

import {
  Axon,
  busKey,
  combine,
  cookie,
  DlqPolicy,
  emit,
  eventKind,
  Framework,
  FrameworkConfig,
  fault,
  form,
  header,
  IamIdentity,
  IamPolicy,
  json,
  Log,
  MemoryDeadLetters,
  MemoryRuns,
  ProblemDetail,
  param,
  path,
  QueryParams,
  query,
  RequestHeaders,
  RequestPath,
  RequestQuery,
  Sensitive,
  Type,
  WebSocketConnection,
  type WebSocketSession,
} from "framework";
import type { ExtractedOf } from "framework/http";
import { LogAlertHook, WebhookAlertHook } from "framework/inspector";
import { AccessLogGuard } from "framework/std";

const Payment = Type.Object({
  mode: Type.String(),
  login: Type.Object({ device: Type.Object({ password: Type.String() }) }),
  reference: Sensitive(Type.String()),
});
const Credentials = Type.Object({ user: Type.String(), password: Type.String() });

const asked = combine({
  at: path(Type.Object({ token: Type.String() })),
  query: query(Type.Object({ access_token: Type.String() })),
  head: header(Type.Object({ "x-api-key": Type.String() })),
  cookies: cookie(Type.Object({ session_id: Type.String() })),
  body: json(Payment),
});

const Copies = busKey<object>()("Copies");
const Note = busKey<string>()("Note");
const Paid = eventKind<object>()("paid");

/** What a run takes along; `text` has all of it. */
interface Taken {
  readonly mode: string;
  readonly copies: Readonly<Record<string, string>>;
  readonly text: string;
}

const taken = (mode: string, copies: Readonly<Record<string, string>>): Taken => {
  const [some = ""] = Object.values(copies);
  const pairs = Object.entries(copies).map(
    ([name, value]) =>
      `${name}=${value}, ${name}: ${value}, ${name} => ${value}, --${name} ${value}, <${name}>${value}</${name}>, Key (${name})=(${value}) exists`,
  );
  return {
    mode,
    copies,
    text: `it has ${pairs.join(" and ")}, of ${JSON.stringify(copies)}, at https://ada:${some}@bank.example/ or https://ada:a@${some}@bank.example/ as Bearer ${some} or ghp_${some}`,
  };
};

let letGo = (): void => {};
const gone = (): Promise<void> => new Promise((resolve) => (letGo = resolve));

/** Ends as it is told to. */
async function ended({ mode, copies, text }: Taken) {
  switch (mode) {
    case "throw":
      throw Object.assign(new Error(text, { cause: new TypeError(`because ${text}`) }), {
        ...{ copies, rawHeaders: Object.entries(copies).flat() },
      });
    case "fault":
      return fault({ kind: "Refused", reason: text, copies });
    case "text":
      return fault(text);
    case "problem":
      return fault(new ProblemDetail({ status: 409, code: "REFUSED", title: "Refused", detail: text }));
    case "slow":
      await gone();
  }
  return { paid: true, copies, text };
}

const verifier = {
  description: "whoever has a token",
  verify: (token: string) => ({ subject: "ada", roles: [], claims: { access_token: token } }),
};

const letters = new MemoryDeadLetters();

const pay = Axon.start<ExtractedOf<typeof asked>>("pay")
  .withIam(IamPolicy.requireIdentity(), verifier)
  .thenFn(
    "gather",
    ({ at, query, head, cookies, body }, bus) => {
      const headers = bus.get(RequestHeaders);
      bus.get(RequestPath);
      bus.get(RequestQuery);
      bus.get(param("token"));
      bus.get(Log).info({ headers, body, query: bus.get(QueryParams) }, "paying");
      const made = taken(body.mode, {
        ...{ ...at, ...query, ...head, ...cookies, iban: body.reference },
        bearerToken: String(bus.get(IamIdentity).claims["access_token"]),
        password: body.login.device.password,
      });
      bus.set(Copies, made.copies);
      bus.set(Note, made.text);
      return made;
    },
    {
      reads: [Log, IamIdentity, RequestHeaders, RequestPath, RequestQuery, QueryParams, param("token")],
      writes: [Copies, Note],
    },
  )
  .thenFn("tell", (made) => emit(Paid, made.copies, made), { emits: [Paid] })
  .thenFn("use", ended)
  .withEventSink({ send: () => {} })
  .withDlqSink(letters)
  .withDlqPolicy(DlqPolicy.send());

/** A form, behind Basic credentials that a step takes apart itself. */
const login = Axon.start("login", Credentials)
  .thenFn(
    "open",
    ({ password }, bus) => {
      const sent = bus.get(header("authorization")).slice("Basic ".length);
      const [, ...rest] = Buffer.from(sent, "base64").toString("utf8").split(":");
      return taken("throw", { password, credentials: sent, basicPassword: rest.join(":") });
    },
    { reads: [header("authorization")] },
  )
  .thenFn("use", ended)
  .withDlqSink(letters)
  .withDlqPolicy(DlqPolicy.send());

/** What it has done is undone, and that fails too. */
const refund = Axon.start("refund", Payment)
  .thenCompensated(
    Axon.start<typeof Payment.static>("reserve")
      .thenFn("reserve", ({ login, reference }) =>
        taken("fault", { password: login.device.password, iban: reference }),
      )
      .asTransition(),
    ({ output }) => {
      throw new Error(output.text);
    },
  )
  .thenFn("use", ended)
  .withDlqSink(letters)
  .withDlqPolicy(DlqPolicy.send());

/** Its runs are kept. */
const ship = Axon.start("ship", Payment)
  .thenFn("pack", ({ mode, login, reference }) =>
    taken(mode, { password: login.device.password, iban: reference }),
  )
  .thenFn("use", ended)
  .withPersistenceStore(new MemoryRuns());

/** What connections and feeds have of the requests that they began with. */
const asking = [header("x-api-key"), cookie("session_id"), QueryParams] as const;
const offered = header("sec-websocket-protocol");
const copied = (apiKey: string, sessionId: string, parameters: object, bearerToken = "none"): Taken =>
  taken("throw", { apiKey, sessionId, ...parameters, bearerToken });

const opening = Axon.start<WebSocketSession>("open chat").thenFn(
  "remember",
  (_, bus) => {
    const [, bearer = ""] = bus.get(offered).split("bearer.");
    bus.get(Log).info({ headers: { [offered.name]: bus.get(offered) } }, "opening");
    return copied(bus.get(asking[0]), bus.get(asking[1]), bus.get(asking[2]), bearer);
  },
  { reads: [...asking, offered, Log] },
);
const chat = Axon.start("chat", Payment).thenFn(
  "quote",
  ({ login, reference }, bus) => {
    const { text } = bus.get(WebSocketConnection).state as Taken;
    throw new Error(
      `chatting ${taken("throw", { password: login.device.password, iban: reference }).text} of ${text}`,
    );
  },
  { reads: [WebSocketConnection] },
);
const feed = Axon.start("feed").thenFn(
  "listen",
  (_, bus) => {
    const { text } = copied(bus.get(asking[0]), bus.get(asking[1]), bus.get(asking[2]));
    return (async function* () {
      yield { data: "fed" };
      throw new Error(`feeding ${text}`);
    })();
  },
  { reads: asking },
);

const config = FrameworkConfig.load();
const hooks = [
  new LogAlertHook(config.initLogging().module("alerts")),
  new WebhookAlertHook(process.env["WEBHOOK"] ?? "", { secret: "a secret of 24 bytes or more" }),
];
const server = await Framework.http()
  .bind("127.0.0.1:0")
  .config(config)
  .guard(
    new AccessLogGuard({
      headers: ["authorization", "cookie", "x-api-key", "referer", "sec-websocket-protocol"],
      query: true,
    }),
  )
  .post("/pay/:token", pay, { input: asked })
  .post("/login", login, { input: form(Credentials) })
  .post("/refund", refund)
  .post("/ship", ship)
  .ws("/chat", { open: opening, message: chat, protocols: ["chat.v1"] })
  .sse("/feed", feed)
  .post(
    "/go",
    Axon.start("go").thenFn("let go", () => {
      letGo();
      return "gone";
    }),
  )
  .inspector({
    port: 0,
    alerts: { hooks },
    announce: (link) => process.stderr.write(`inspecting ${new URL(link).host}\n`),
  })
  .run();

console.log(`listening ${server.address}`);
