// A service with a route for each way in which a request can end, and an Inspector.

import { connect } from "node:net";

import {
  Axon,
  BearerAuth,
  Framework,
  FrameworkConfig,
  fault,
  guard,
  IamPolicy,
  type IamVerifier,
  json,
  ProblemDetail,
  pass,
  Type,
  text,
} from "framework";
import { IdempotencyGuard, RateLimitGuard } from "framework/std";

const TOKEN = "operator-token-0123456789";
const Search = Type.Object({ q: Type.Integer() });
const Order = Type.Object({ qty: Type.Integer({ minimum: 1 }) });
const forbidden = new ProblemDetail({ status: 403, code: "NO_ENTRY", title: "No entry" });
const sold = new ProblemDetail({ status: 409, code: "SOLD", title: "Sold" });

const verifier: IamVerifier = {
  description: "roles as tokens",
  verify: (token) => ({ subject: "somebody", roles: [token], claims: {} }),
};
const door = guard({
  name: "door",
  reads: [],
  run: (input) => (isOpen ? pass(input) : fault(forbidden)),
});
let isOpen = true;

const forever = (signal: AbortSignal): Promise<string> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));

const service = (env: Record<string, string>) =>
  Framework.http()
    .config(FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent", ...env } }))
    .get(
      "/search",
      Axon.start("search", Search).thenFn("find", ({ q }) => ({ q })),
    )
    .post(
      "/orders",
      Axon.start("orders", Order).thenFn("take", ({ qty }) => (qty === 9 ? fault(sold) : { qty })),
      { bodyLimit: 100, input: json(Order) },
    )
    .post(
      "/guarded",
      Axon.start("guarded", Order).thenFn("take", ({ qty }) => ({ qty })),
      { guards: [door], bodyLimit: 100, input: json(Order) },
    )
    .get(
      "/limited",
      Axon.start("limited").thenFn("go", () => "gone"),
      { guards: [new RateLimitGuard(3, 3_600_000)] },
    )
    .get(
      "/roles",
      Axon.start("roles")
        .withIam(IamPolicy.requireRole("clerk"), verifier)
        .thenFn("go", () => "gone"),
    )
    .get(
      "/slow",
      Axon.start("slow").thenFn("wait", (_, bus) => forever(bus.signal)),
      { timeoutMs: 30 },
    )
    .get(
      "/waits",
      Axon.start("waits").thenFn("wait", (_, bus) => forever(bus.signal)),
    )
    .get(
      "/throws",
      Axon.start("throws").thenFn("go", (): string => {
        throw new Error("a mistake");
      }),
    )
    .get(
      "/cycle",
      Axon.start("cycle").thenFn("go", () => {
        const cycle: { self?: unknown } = {};
        cycle.self = cycle;
        return cycle;
      }),
    )
    .post(
      "/keyed",
      Axon.start<string>("keyed").thenFn("pay", (given) => given),
      { guards: [new IdempotencyGuard()], input: text() },
    )
    .post(
      "/text",
      Axon.start<string>("text").thenFn("take", (given) => given),
      { input: text() },
    );

export async function refusingService(sampleRatio = 1, env: Record<string, string> = {}) {
  let link = "";
  const server = await service(env)
    .inspector({
      ...{ enabled: true, port: 0, sampleRatio, metricsIntervalMs: 200 },
      auth: BearerAuth.tokens({ operator: TOKEN }),
      announce: (printed) => {
        link = printed;
      },
    })
    .bind("127.0.0.1:0")
    .run();
  const { host } = new URL(link);
  const ask = async (path: string): Promise<any> => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`http://${host}${path}`, { headers });
    return path.startsWith("/api") ? ((await response.json()) as any).data : response.text();
  };
  const send = async (path: string, init: RequestInit = {}): Promise<number> => {
    const response = await fetch(`${server.url}${path}`, init);
    await response.arrayBuffer();
    return response.status;
  };
  const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<number> =>
    send(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
  /** Sends a head, and closes the connection before its response. */
  const leave = (head: string): Promise<void> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname, () => socket.write(head));
      setTimeout(() => socket.destroy(), 50);
      socket.on("close", () => resolve());
    });
  const shut = (isShut: boolean): void => {
    isOpen = !isShut;
  };
  return { server, host, ask, send, post, leave, shut, token: TOKEN };
}
