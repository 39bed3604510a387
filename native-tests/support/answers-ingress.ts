// What the wire tests of answers talk to: a route for each row of what can be answered.

import {
  Axon,
  authorize,
  bytes,
  CookieKeys,
  deleteCookie,
  Framework,
  fault,
  header,
  html,
  ProblemDetail,
  param,
  query,
  respond,
  Secret,
  setCookie,
  signedCookie,
  Type,
} from "framework";
import { cookies, reflect, reflected } from "../../examples/conformance/headers.js";
import type { Options } from "./served.js";

const answering = (name: string, run: () => unknown) => Axon.start(name).thenFn(name, run);
const sid = signedCookie("sid", new CookieKeys([{ id: "a", secret: new Secret("s".repeat(32)) }]));
const Order = Type.Object({ id: Type.String({ maxLength: 4 }), qty: Type.Integer() });

/** What untyped code may do: a text from outside in each place of a header. */
const anywhere = Axon.start("anywhere").thenFn(
  "anywhere",
  (_, bus) => {
    const text = Buffer.from(bus.get(header("x-hex")), "hex").toString();
    switch (bus.get(param("place"))) {
      case "name":
        return respond({ headers: { [text]: "1" } });
      case "list":
        return respond({ headers: { "x-a": ["1", text] } });
      case "cookie":
        return respond({ cookies: [setCookie("a", text)] });
      case "cookie-name":
        return respond({ cookies: [setCookie(text, "1")] });
      case "cookie-path":
        return respond({ cookies: [setCookie("a", "1", { path: `/${text}` })] });
      default:
        return respond({ headers: { "x-a": text } });
    }
  },
  { reads: [header("x-hex"), param("place")], responses: [{ status: 204 }] },
);

export const ingress = (options: Options) =>
  Framework.http({ bodyTimeoutMs: 300, ...options })
    .bind("127.0.0.1:0")
    .requestIdLayer()
    .get(
      "/text",
      answering("text", () => "hello"),
    )
    .get(
      "/json",
      answering("json", () => ({ a: 1 })),
    )
    .get(
      "/bytes",
      answering("bytes", () => new Uint8Array([1, 2])),
    )
    .get(
      "/page",
      answering("page", () => html("<p>\u00e9</p>")),
    )
    .get(
      "/nothing",
      Axon.start("nothing").thenFn("nothing", { responses: [{ status: 204 }] }, () => undefined),
    )
    .get(
      "/created",
      answering("created", () =>
        respond({
          status: 201,
          headers: { Location: "/orders/7", vary: ["accept", "origin"] },
          cookies: [setCookie("a", "1"), deleteCookie("b"), sid.set("ada")],
          body: { id: 7 },
        }),
      ),
    )
    .get(
      "/see-other",
      answering("see-other", () => respond({ status: 303, headers: { location: "/text" } })),
    )
    .get(
      "/not-modified",
      answering("not-modified", () => respond({ status: 304, headers: { etag: '"1"' } })),
    )
    .get(
      "/whoami",
      Axon.start("whoami").thenFn("whoami", (_, bus) => bus.find(sid) ?? "nobody", { mayRead: [sid] }),
    )
    .get(
      "/required",
      Axon.start("required").thenFn("required", (_, bus) => bus.get(header("x-a")), {
        reads: [header("x-a")],
      }),
    )
    .get(
      "/conflict",
      answering("conflict", () => fault(new ProblemDetail({ status: 409, code: "TAKEN", title: "Taken" }))),
    )
    .get(
      "/mapped",
      answering("mapped", () => fault("secret")),
      {
        onFault: () =>
          respond({
            headers: { "retry-after": "5" },
            body: new ProblemDetail({ status: 503, code: "BUSY", title: "Busy" }),
          }),
      },
    )
    .get(
      "/unmapped",
      answering("unmapped", () => fault("secret")),
    )
    .get(
      "/throws",
      answering("throws", () => {
        throw new Error("secret");
      }),
    )
    .get(
      "/unwritable",
      answering("unwritable", () => ({ secret: 1n })),
    )
    .get(
      "/stream",
      answering("stream", () => new ReadableStream({ pull: (to) => to.error(new Error("secret")) })),
    )
    .get(
      "/too-slow",
      Axon.start("too-slow").thenWithTimeout({ name: "wait", run: () => new Promise(() => {}) }, 20),
    )
    .get(
      "/closed",
      answering("closed", () => "never"),
      { layers: [authorize(() => false)] },
    )
    .get("/anywhere/:place", anywhere)
    .get("/cookie", cookies)
    .get("/reflect", reflect, reflected)
    .get("/page-number", Axon.start<{ n: number }>("page-number"), {
      input: query(Type.Object({ n: Type.Integer({ minimum: 1 }) })),
    })
    .post("/order", Axon.start("order", Order))
    .post("/bytes", Axon.start<Uint8Array>("upload"), { input: bytes(), bodyLimit: 100 });
