// What the tests of starting and stopping run: a server with a slow route, and
// triggers for what nobody catches.

import { Axon, Framework, Type } from "framework";

const slow = Axon.start("slow", Type.Object({ ms: Type.Integer() })).thenFn(
  "wait",
  ({ ms }) => new Promise<string>((resolve) => setTimeout(resolve, ms, "slept")),
);
const later = (effect: () => void) => () => {
  setTimeout(effect, 5);
  return "soon";
};
const reject = later(() => void Promise.reject(new Error("nobody awaits this")));
const crash = later(() => {
  throw new Error("nobody catches this");
});

const server = await Framework.http()
  .bind(process.env["ADDRESS"] ?? "127.0.0.1:0")
  .gracefulShutdown(Number(process.env["SHUTDOWN_MS"] ?? 30_000))
  .get(
    "/",
    Axon.start("hello").thenFn("hello", () => "hello"),
  )
  .get("/slow", slow)
  .get("/reject", Axon.start("reject").thenFn("reject", reject))
  .get("/crash", Axon.start("crash").thenFn("crash", crash))
  .run();

console.log(`listening ${server.address}`);
