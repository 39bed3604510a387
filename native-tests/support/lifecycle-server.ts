// What the tests of starting and stopping run: a server with a slow route, and
// triggers for what nobody catches.

import { Axon, busKey, bytes, Framework, Type } from "framework";

const slow = Axon.start("slow", Type.Object({ ms: Type.Integer() })).thenFn("wait", ({ ms }) => {
  console.log("sleeping");
  return new Promise<string>((resolve) => {
    setTimeout(() => {
      console.log("awake");
      resolve("slept");
    }, ms);
  });
});
const later =
  (effect: () => void, ms = 5) =>
  () => {
    setTimeout(effect, ms);
    return "soon";
  };
const reject = later(() => void Promise.reject(new Error("nobody awaits this")));
const fail = (): never => {
  throw new Error("nobody catches this");
};
const crash = later(fail);
const crashLater = later(fail, 1500);

const listener = Axon.start("listener").thenFn("wait", (_, bus) => {
  bus.signal.addEventListener("abort", () => {
    throw new Error("a listener threw");
  });
  return new Promise<void>(() => {});
});

const { ADDRESS = "127.0.0.1:0", SHUTDOWN_MS = 30_000, DELAY_MS = 0, IDLE_MS = 0, START_MS } = process.env;
const tell = (what: string) => () => console.log(what);
const Db = busKey<AsyncDisposable>()("Db");

const traceRejections = process.env["TRACE_REJECTIONS"] === "1";

const server = await Framework.http({ resources: [Db], traceRejections })
  .bind(ADDRESS)
  .gracefulShutdown(Number(SHUTDOWN_MS))
  .shutdownDelay(Number(DELAY_MS))
  .drainIdle(Number(IDLE_MS))
  .readinessLivenessDefault()
  .onShutdown(tell("shutdown"))
  .onStart(async () => {
    if (START_MS === undefined) return;
    console.log("listening nowhere");
    await new Promise((resolve) => setTimeout(resolve, Number(START_MS)));
  })
  .onStart(tell("started"))
  .get(
    "/",
    Axon.start("hello").thenFn("hello", () => "hello"),
  )
  .get("/slow", slow)
  .post("/echo", Axon.start<Uint8Array>("echo"), { input: bytes() })
  .get("/listener", listener)
  .get("/reject", Axon.start("reject").thenFn("reject", reject))
  .post("/reject", Axon.start<Uint8Array>("reject").thenFn("reject", reject), { input: bytes() })
  .get("/crash-later", Axon.start("crash-later").thenFn("crash", crashLater))
  .get("/crash", Axon.start("crash").thenFn("crash", crash))
  .run({ Db: { [Symbol.asyncDispose]: async () => console.log("disposed") } });

// A second server of the process, which has nothing to do.
if (process.env["SECOND"] === "1") {
  await Framework.http()
    .bind("127.0.0.1:0")
    .get(
      "/",
      Axon.start("idle").thenFn("idle", () => "idle"),
    )
    .run();
}

console.log(`listening ${server.address}`);
