// What the tests of workers run: a server in several processes, which says who answers,
// and has triggers for what can go wrong.

import { existsSync } from "node:fs";

import { Axon, busKey, Framework, guard, pass, type RunningServer, Type } from "framework";

const {
  WORKERS = "2",
  ADDRESS = "127.0.0.1:0",
  SHUTDOWN_MS = "30000",
  CRASH = "",
  FIRST_ONLY = "",
  GIVEN = "",
  LOAD_MS = "0",
} = process.env;
const Db = busKey<AsyncDisposable>()("Db");
const tell = (what: string) => console.log(`${what} ${process.pid}`);

const isFirst = process.env["_FRAMEWORK_WORKER"]?.includes('"number":1') ?? false;

// A worker that takes its time before it runs anything of ours.
if (LOAD_MS !== "0" && process.env["_FRAMEWORK_WORKER"] !== undefined) {
  tell("loading");
  console.log("listening nowhere");
  await new Promise((resolve) => setTimeout(resolve, Number(LOAD_MS)));
}

const slow = Axon.start("slow", Type.Object({ ms: Type.Integer() })).thenFn("wait", ({ ms }) => {
  tell("sleeping");
  return new Promise<number>((resolve) => setTimeout(resolve, ms, process.pid));
});
const block = Axon.start("block").thenFn("block", () => {
  tell("blocking");
  for (;;);
});
const count = guard({ name: "count", perProcess: "how many came", run: (input) => pass(input) });
const missing = Axon.start("missing").thenFn("read", () => 1, { reads: [busKey<number>()("Missing")] });

const ingress = Framework.http({ resources: [Db] })
  .bind(ADDRESS)
  .workers(Number(WORKERS))
  .gracefulShutdown(Number(SHUTDOWN_MS))
  .drainIdle(0)
  .get(
    "/pid",
    Axon.start("pid").thenFn("pid", () => process.pid),
  )
  .get(
    "/close",
    Axon.start("close").thenFn("close", () => {
      setTimeout(() => server.close(), 10);
      return process.pid;
    }),
  )
  .get("/slow", slow)
  .get("/block", block)
  .guard(count)
  .onStart(() => tell("started"));
if (CRASH === "unprovided") (ingress as any).get("/missing", missing);
if (existsSync(CRASH)) ingress.onReady(() => void setTimeout(() => process.exit(7), 100));
// Each worker but the first ends before it serves, until the file exists.
if (FIRST_ONLY !== "" && !existsSync(FIRST_ONLY)) ingress.onStart(() => void (isFirst || process.exit(8)));
if (CRASH === "start") ingress.onStart(() => process.exit(7));

const make = () => {
  tell("made");
  return { Db: { [Symbol.asyncDispose]: async () => tell("disposed") } };
};
const server: RunningServer = await ingress.run(GIVEN === "values" ? make() : make);

if (server.role !== "worker") console.log(`${server.role}\nlistening ${server.address}`);
if (CRASH === "second") {
  await ingress.run(make).catch((error: Error) => {
    console.error(error.message);
    process.exit(3);
  });
}
