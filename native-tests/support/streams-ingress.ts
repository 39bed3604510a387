// What the tests of streamed answers talk to: sources that count what is pulled of them and
// tell how they ended.

import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";

import { Axon, bytes, Framework, respond, Type } from "framework";
import { AccessLogGuard } from "framework/std";

interface Source {
  pulled: number;
  /** How often it came to an end, in whatever way. */
  ended: number;
  /** How often the signal of its run told it that nobody waits. */
  told: number;
}

const sources = new Map<string, Source>();
const reports: { code: string; error: string; axon: string | undefined; requestId: string | undefined }[] =
  [];

function sourceOf(name: string): Source {
  let source = sources.get(name);
  if (source === undefined) {
    source = { pulled: 0, ended: 0, told: 0 };
    sources.set(name, source);
  }
  return source;
}

const PIECE = Buffer.alloc(65_536, "x");

interface Asked {
  /** Names the source. */
  readonly name: string;
  /** How many pieces, and of what. */
  readonly pieces: number;
  readonly text?: string;
  readonly pauseMs?: number;
  /** After so many pieces it fails, or never goes on. */
  readonly failsAfter?: number;
  readonly hangsAfter?: number;
}

async function* generate(
  { name, pieces, text, pauseMs, failsAfter, hangsAfter }: Asked,
  signal: AbortSignal,
) {
  const source = sourceOf(name);
  signal.addEventListener("abort", () => {
    source.told += 1;
  });
  try {
    for (let i = 0; i < pieces; i += 1) {
      if (i === failsAfter) throw new Error("the source fails");
      if (i === hangsAfter)
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      source.pulled += 1;
      yield text ?? PIECE;
      if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } finally {
    source.ended += 1;
  }
}

const Asked = Type.Object({
  name: Type.String(),
  pieces: Type.Integer(),
  text: Type.Optional(Type.String()),
  pauseMs: Type.Optional(Type.Integer()),
  failsAfter: Type.Optional(Type.Integer()),
  hangsAfter: Type.Optional(Type.Integer()),
  length: Type.Optional(Type.Integer()),
});

const feed = (name: string, isLate: boolean) =>
  Axon.start(name, Asked).thenFn("feed", ({ length, ...asked }, bus) => {
    const body = generate(asked as Asked, bus.signal);
    const answer = respond({ body, ...(length !== undefined && { length }) });
    return isLate ? new Promise<typeof answer>((resolve) => setImmediate(resolve, answer)) : answer;
  });

const facts = Axon.start("facts").thenFn("facts", () => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { sources: Object.fromEntries(sources), reports, memory: heapUsed + external, rss };
});

export const ingress = ({ routeMs = 30_000 }: { readonly routeMs?: number }) =>
  Framework.http({
    reporter: ({ code, error, axon, requestId }) =>
      void reports.push({ code, error: String(error), axon, requestId }),
  })
    .bind("127.0.0.1:0")
    .requestIdLayer()
    .timeoutLayer(routeMs)
    .get("/facts", facts)
    .get("/feed", feed("feed", false))
    .get("/late", feed("late", true))
    .get("/logged", feed("logged", false), { guards: [new AccessLogGuard()] })
    .post(
      "/uploaded",
      Axon.start<Uint8Array>("uploaded").thenFn("feed", (body, bus) =>
        generate({ name: "uploaded", pieces: 3, text: `${body.length};` }, bus.signal),
      ),
      { input: bytes() },
    )
    .get(
      "/file",
      Axon.start("file").thenFn("file", () => createReadStream(fileURLToPath(import.meta.url))),
    )
    .get(
      "/missing-file",
      Axon.start("missing-file").thenFn("file", () => createReadStream("/nowhere/at/all")),
    )
    .get(
      "/after",
      Axon.start("after").thenFn("after", () => "after"),
    );
