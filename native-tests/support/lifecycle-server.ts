// What the tests of starting and stopping run: a server with a slow route, and
// triggers for what nobody catches.

import { Axon, Framework, Type } from "framework";

const slow = Axon.start("slow", Type.Object({ ms: Type.Integer() })).thenFn(
  "wait",
  ({ ms }) => new Promise<string>((resolve) => setTimeout(resolve, ms, "slept")),
);
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
const crashLater = later(fail, 250);

const listener = Axon.start("listener").thenFn("wait", (_, bus) => {
  bus.signal.addEventListener("abort", () => {
    throw new Error("a listener threw");
  });
  return new Promise<void>(() => {});
});

const server = await Framework.http()
  .bind(process.env["ADDRESS"] ?? "127.0.0.1:0")
  .gracefulShutdown(Number(process.env["SHUTDOWN_MS"] ?? 30_000))
  .get(
    "/",
    Axon.start("hello").thenFn("hello", () => "hello"),
  )
  .get("/slow", slow)
  .get("/listener", listener)
  .get("/reject", Axon.start("reject").thenFn("reject", reject))
  .get("/crash-later", Axon.start("crash-later").thenFn("crash", crashLater))
  .get("/crash", Axon.start("crash").thenFn("crash", crash))
  .run();

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
