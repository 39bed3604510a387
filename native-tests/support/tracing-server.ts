// What the tests of tracing start as a program of its own: configured by variables alone.

import { trace } from "@opentelemetry/api";

import { Axon, Framework, FrameworkConfig, Log } from "framework";

const config = FrameworkConfig.load();
config.initTelemetry();

const hello = Axon.start("hello").thenFn(
  "greet",
  (_, bus) => {
    bus.get(Log).info("greeted");
    return "hello";
  },
  { reads: [Log] },
);
const crash = Axon.start("crash").thenFn("crash", () => {
  setTimeout(() => {
    throw new Error("nobody catches this");
  }, 5);
  return "soon";
});

if (process.env["SERVES"] === "no") {
  trace.getTracer("script").startSpan("work").end();
  console.log("listening nowhere");
} else {
  const server = await Framework.http()
    .bind("127.0.0.1:0")
    .config(config)
    .gracefulShutdown(200)
    .get("/hello", hello)
    .get("/crash", crash)
    .run();
  console.log(`listening ${server.address}`);
}
