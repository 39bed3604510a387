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

const tell = (what: string) => () => console.log(what);
const Db = busKey<AsyncDisposable>()("Db");

interface LifecycleOptions {
  readonly address?: string;
  readonly shutdownMs?: number;
  readonly delayMs?: number;
  readonly idleMs?: number;
  /** How long it starts. */
  readonly startMs?: number;
  readonly traceRejections?: boolean;
  /** True: the process has a second server, which has nothing to do. */
  readonly second?: boolean;
}

export const ingress = ({
  address = "127.0.0.1:0",
  shutdownMs = 30_000,
  delayMs = 0,
  idleMs = 0,
  startMs,
  traceRejections = false,
  second = false,
}: LifecycleOptions) => ({
  async run() {
    const server = await Framework.http({ resources: [Db], traceRejections })
      .bind(address)
      .gracefulShutdown(shutdownMs)
      .shutdownDelay(delayMs)
      .drainIdle(idleMs)
      .readinessLivenessDefault()
      .onShutdown(tell("shutdown"))
      .onStart(async () => {
        if (startMs === undefined) return;
        console.log("listening nowhere");
        await new Promise((resolve) => setTimeout(resolve, startMs));
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

    if (second) {
      await Framework.http()
        .bind("127.0.0.1:0")
        .get(
          "/",
          Axon.start("idle").thenFn("idle", () => "idle"),
        )
        .run();
    }
    return server;
  },
});
