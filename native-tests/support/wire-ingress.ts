// What the wire tests talk to. It remembers the markers it ran, so that a test can
// tell whether something behind a refused request was run.

import { Axon, bytes, Framework, param, TraceContext, Type, text } from "framework";
import type { Options } from "./served.js";

const big = "x".repeat(8 * 1024 * 1024);

export const ingress = (options: Options) => {
  const ran: string[] = [];
  let aborted = 0;

  const mark = Axon.start("mark").thenFn(
    "mark",
    (_, bus) => {
      ran.push(bus.get(param("id")));
      return "marked";
    },
    { reads: [param("id")] },
  );

  const slow = Axon.start("slow", Type.Object({ ms: Type.Integer({ minimum: 0, maximum: 5000 }) }))
    .thenFn("wait", ({ ms }, bus) => {
      bus.signal.addEventListener("abort", () => {
        aborted += 1;
      });
      return new Promise<number>((resolve) => setTimeout(resolve, ms, ms));
    })
    .thenFn("after", (ms) => {
      ran.push(`slow ${ms}`);
      return { ms };
    });

  const facts = Axon.start("facts").thenFn("facts", () => {
    globalThis.gc?.();
    return { ran: ran.splice(0), aborted, heap: process.memoryUsage().heapUsed };
  });

  return Framework.http({ bodyTimeoutMs: 10_000, ...options })
    .bind("127.0.0.1:0")
    .get(
      "/",
      Axon.start("hello").thenFn("hello", () => "hello"),
    )
    .get("/mark/:id", mark)
    .get("/slow", slow)
    .get("/facts", facts)
    .get(
      "/big",
      Axon.start("big").thenFn("big", () => big),
    )
    .get(
      "/nothing",
      Axon.start("nothing").thenFn("nothing", () => undefined),
    )
    .get(
      "/later",
      Axon.start("later").thenFn("later", async () => "later"),
    )
    .get(
      "/boom",
      Axon.start("boom").thenFn("boom", () => {
        throw new Error("boom");
      }),
    )
    .get(
      "/files/*rest",
      Axon.start("files").thenFn("files", (_, bus) => bus.get(param("rest")), { reads: [param("rest")] }),
    )
    .get(
      "/trace",
      Axon.start("trace").thenFn("trace", (_, bus) => bus.get(TraceContext), { reads: [TraceContext] }),
    )
    .post("/echo", Axon.start<Uint8Array>("echo"), { input: bytes() })
    .post(
      "/echo-later",
      Axon.start<Uint8Array>("echo-later").thenFn(
        "wait",
        (body) => new Promise<Uint8Array>((resolve) => setImmediate(resolve, body)),
      ),
      { input: bytes() },
    )
    .post("/text", Axon.start<string>("text"), { input: text(), bodyLimit: 100 })
    .post("/json", Axon.start("json", Type.Unknown()))
    .post(
      "/discard",
      Axon.start("discard").thenFn("discard", () => "discarded"),
    );
};
