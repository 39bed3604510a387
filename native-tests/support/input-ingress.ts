// What the wire tests of input talk to: routes that read their bodies as they arrive.

import { pbkdf2 } from "node:crypto";
import { readdirSync } from "node:fs";
import {
  Axon,
  bytes,
  combine,
  cookie,
  Framework,
  fault,
  form,
  guard,
  header,
  multipart,
  ProblemDetail,
  pass,
  query,
  type Static,
  stream,
  Type,
} from "framework";
import type { DiskFile, ExtractedOf, Multipart } from "framework/http";
import type { Options } from "./served.js";

type Body = AsyncIterableIterator<Uint8Array>;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What became of the readers that nobody hears of over the wire. */
const ends: string[] = [];
const reports: string[] = [];
const kept: Body[] = [];
let aborted = 0;

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? error);

/** Reads the body to its end, waiting `ms` after each piece. */
const count = (name: string, ms: number) =>
  Axon.start<Body>(name).thenFn("count", async (body, bus) => {
    bus.signal.addEventListener("abort", () => {
      aborted += 1;
    });
    let length = 0;
    let pieces = 0;
    try {
      for await (const piece of body) {
        length += piece.length;
        pieces += 1;
        if (ms > 0) await sleep(ms);
      }
    } catch (error) {
      ends.push(`${name} ${codeOf(error)}`);
      throw error;
    }
    return { length, pieces };
  });

const half = Axon.start<Body>("half").thenFn("half", async (body) => {
  const { value } = await body.next();
  return { first: value?.length ?? 0 };
});

const leave = Axon.start<Body>("leave").thenFn("leave", async (body) => {
  for await (const piece of body) return { first: piece.length };
  return { first: 0 };
});

const unread = Axon.start<Body>("unread").thenFn("unread", () => "unread");
const unreadLater = Axon.start<Body>("unread-later").thenFn("wait", async () => {
  await sleep(300);
  return "unread";
});
const never = Axon.start<Body>("never").thenFn("never", () => new Promise<string>(() => {}));

const keep = Axon.start<Body>("keep").thenFn("keep", (body) => {
  kept.push(body);
  return "kept";
});
const keepLater = Axon.start<Body>("keep-later").thenFn("keep", async (body) => {
  kept.push(body);
  await sleep(20);
  return "kept";
});
const readKept = Axon.start("read-kept").thenFn("read", async () => {
  const told: string[] = [];
  for (const body of kept.splice(0)) {
    told.push(
      await body.next().then(
        () => "read",
        (error) => codeOf(error),
      ),
    );
  }
  return told;
});

/** Takes its time, and lets those through who say so. */
const door = guard({
  name: "door",
  mayRead: [header("x-let-me")],
  run: async (input: unknown, bus) => {
    await sleep(200);
    return bus.find(header("x-let-me")) === undefined
      ? fault(new ProblemDetail({ status: 401, code: "CLOSED", title: "Closed" }))
      : pass(input);
  },
});

const length = Axon.start<Uint8Array>("length").thenFn("length", (body) => ({ length: body.length }));

const upload = (ms: number) =>
  Axon.start<Multipart<unknown, DiskFile>>("upload").thenFn("upload", async ({ files, fields }) => {
    await sleep(ms);
    return { files: files.map(({ size, filename }) => [filename, size]), fields };
  });

/** Keeps a thread of the pool, which calls of the file system wait for, for half a second or so. */
const occupy = Axon.start("occupy").thenFn("occupy", () => {
  pbkdf2("", "", 1_000_000, 1, "sha256", () => {});
  return "occupied";
});

const Pairs = Type.Object({ n: Type.Optional(Type.Integer()) });

/** Answers all that an input without a body can be made of. */
const heads = combine({
  query: query(Pairs),
  header: header(Type.Object({ "x-text": Type.Optional(Type.String()) })),
  cookie: cookie(Type.Object({ text: Type.Optional(Type.String()) })),
});
const tell = Axon.start<ExtractedOf<typeof heads>>("tell");

const facts = Axon.start("facts").thenFn("facts", () => {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const polluted = "polluted" in {};
  return {
    polluted,
    ends: ends.splice(0),
    reports: reports.splice(0),
    aborted,
    memory: heapUsed + arrayBuffers,
  };
});

const body = { input: stream() };
const large = { ...body, bodyLimit: 128 * 1024 * 1024 };

/** `directory` is where uploads go. */
export const ingress = ({ directory = ".", ...options }: Options & { readonly directory?: string }) => {
  const uploads = {
    input: multipart({ files: "disk", directory, maxFiles: 3 }),
    bodyLimit: 64 * 1024 * 1024,
  } as const;
  const listing = Axon.start("listing").thenFn("list", () => readdirSync(directory));
  return Framework.http({
    bodyTimeoutMs: 7500,
    // The collection of garbage in /facts holds the loop.
    reporter: ({ code }) => void (code !== "LOOP_BLOCKED" && reports.push(code)),
    ...options,
  })
    .bind("127.0.0.1:0")
    .get(
      "/",
      Axon.start("hello").thenFn("hello", () => "hello"),
    )
    .get("/facts", facts)
    .get("/kept", readKept)
    .post("/count", count("count", 0), large)
    .post("/small", count("small", 0), { ...body, bodyLimit: 1000 })
    .post("/slowly", count("slowly", 20), large)
    .post("/half", half, large)
    .post("/leave", leave, large)
    .post("/unread", unread, large)
    .post("/unread-later", unreadLater, large)
    .post("/never", never, large)
    .post("/keep", keep, large)
    .post("/keep-later", keepLater, large)
    .post("/guarded", count("guarded", 0), { ...large, guards: [door] })
    .post("/guarded-small", count("guarded", 0), { ...body, bodyLimit: 1000, guards: [door] })
    .post("/guarded-bytes", length, { input: bytes(), bodyLimit: 1000, guards: [door] })
    .get("/occupied", occupy)
    .get("/listing", listing)
    .post("/upload", upload(0), uploads)
    .post("/upload-slowly", upload(4000), uploads)
    .post("/upload-guarded", upload(0), { ...uploads, guards: [door] })
    .get("/tell", tell, { input: heads })
    .post("/form", Axon.start<Static<typeof Pairs>>("form"), { input: form(Pairs) })
    .post("/json", Axon.start("json", Type.Unknown()));
};
