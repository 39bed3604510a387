// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/conformance/main.ts
// What wire suites and load tools talk to: `npm run conformance`. Its routes are
// fixed; later versions add to them.

import { fileURLToPath } from "node:url";

import {
  Axon,
  BearerAuth,
  bytes,
  ClientIp,
  Framework,
  fault,
  ProblemDetail,
  param,
  query,
  RequestId,
  respond,
  Type,
} from "framework";
import { CorsGuard, SecurityHeadersGuard } from "framework/std";

import { counter } from "./events.js";
import { cookies, reflect, reflected } from "./headers.js";
import { admin, login, me } from "./identities.js";
import { limited, limits } from "./limited.js";
import { socket } from "./socket.js";
import { tokenVerifier } from "./tokens.js";
import { upload, uploaded } from "./upload.js";

const Item = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  qty: Type.Integer({ minimum: 1, maximum: 1000 }),
  tags: Type.Optional(Type.Array(Type.String(), { maxItems: 16 })),
});
const Wait = Type.Object({ ms: Type.Integer({ minimum: 0, maximum: 5000 }) });

const big = new Uint8Array(8 * 1024 * 1024).fill("x".charCodeAt(0));

async function* counted() {
  for (let n = 1; n <= 10; n += 1) {
    yield `chunk ${n}\n`;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const hello = Axon.start("hello").thenFn("greet", () => "hello");
const echo = Axon.start<Uint8Array>("echo");
const download = Axon.start("big").thenFn("give", () => big);
const user = Axon.start("user").thenFn("show", (_, bus) => ({ id: bus.get(param("id")) }), {
  reads: [param("id")],
});
const chunks = Axon.start("stream").thenFn("count", () =>
  respond({ headers: { "content-type": "text/plain; charset=utf-8" }, body: counted() }),
);
const item = Axon.start("json", Item).thenFn("keep", (value) => value);
const slow = Axon.start<{ ms: number }>("slow").thenFn("wait", async ({ ms }) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { ms };
});
const boom = Axon.start("boom").thenFn("throw", () => {
  throw new Error("boom");
});
const conflict = Axon.start("fault").thenFn("refuse", () =>
  fault(new ProblemDetail({ status: 409, code: "CONFLICT", title: "It cannot be done now" })),
);
const whoami = Axon.start("whoami").thenFn(
  "tell",
  (_, bus) => ({ ip: bus.find(ClientIp), request_id: bus.get(RequestId) }),
  { reads: [RequestId], mayRead: [ClientIp] },
);

const cors = new CorsGuard({
  allowedOrigins: ["https://app.example"],
  allowedMethods: ["GET", "POST"],
  allowedHeaders: ["content-type", "authorization"],
  allowCredentials: true,
});

const { TRUSTED_PROXIES = "", BODY_LIMIT = "1048576" } = process.env;

/** The one of tokens.ts, or the end, with a report that needs no stack. */
function requireVerifier() {
  try {
    return tokenVerifier(process.env);
  } catch (error) {
    console.error(`The target cannot start:\n${error instanceof Error ? error.message : error}`);
    process.exit(1);
  }
}

const tokens = requireVerifier();

const target = (port: string) =>
  Framework.http({
    // 10 000 clients listen to /events, and somebody else is to be answered.
    maxConnections: 20_000,
    trustedProxies: TRUSTED_PROXIES.split(",")
      .map((range) => range.trim())
      .filter((range) => range !== ""),
  })
    .bodyLimit(Number(BODY_LIMIT))
    .bind(`127.0.0.1:${port}`)
    .requestIdLayer()
    .healthEndpoint("/health")
    .readinessLivenessDefault()
    .guard(new SecurityHeadersGuard())
    .guard(cors)
    .get("/", hello)
    .post("/echo", echo, { input: bytes() })
    .get("/big", download)
    .get("/user/:id", user)
    .post("/json", item)
    .post("/slow", slow, { input: query(Wait) })
    .get("/boom", boom)
    .get("/fault", conflict)
    .get("/whoami", whoami)
    .post("/upload", upload, uploaded)
    .get("/cookie", cookies)
    .get("/reflect", reflect, reflected)
    .get("/limited", limited, limits)
    .sse("/events", counter)
    .get("/stream", chunks)
    .get("/me", me(tokens))
    .get("/admin", admin(tokens))
    .get("/login", login)
    .ws("/ws", socket)
    .serveDir("/static", fileURLToPath(new URL("../../examples/conformance/static", import.meta.url)));

const {
  FRAMEWORK_SERVER_PORT = "9201",
  CONFORMANCE_PORT = FRAMEWORK_SERVER_PORT,
  CONFORMANCE_INSPECTOR_PORT = "9202",
  CONFORMANCE_TLS_PORT,
  FRAMEWORK_INSPECTOR_BEARER_TOKEN,
} = process.env;
const first = target(CONFORMANCE_PORT);
// Nobody could use it without a token.
if (FRAMEWORK_INSPECTOR_BEARER_TOKEN !== undefined)
  first.inspector({
    enabled: true,
    auth: BearerAuth.fromEnv(),
    port: Number(CONFORMANCE_INSPECTOR_PORT),
    announce: (link) => console.log(`inspector on ${link}`),
  });
const server = await first.run();
console.log(`listening on ${server.url}`);

// The same once more: an ingress listens in one place.
if (CONFORMANCE_TLS_PORT !== undefined) {
  const { CONFORMANCE_TLS_CERT = ".certs/server.crt", CONFORMANCE_TLS_KEY = ".certs/server.key" } =
    process.env;
  const secured = await target(CONFORMANCE_TLS_PORT).tls(CONFORMANCE_TLS_CERT, CONFORMANCE_TLS_KEY).run();
  console.log(`listening on ${secured.url}`);
}
