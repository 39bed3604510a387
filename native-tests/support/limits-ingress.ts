// Shows which client a server sees, and has routes that take their time.

import {
  Axon,
  bytes,
  ClientIdentity,
  ClientIp,
  Framework,
  guard,
  type Pass,
  RequestScheme,
  stream,
  Type,
} from "framework";
import type { Options } from "./served.js";

const big = "x".repeat(8 * 1024 * 1024);

const whoami = Axon.start("whoami").thenFn(
  "tell",
  (_, bus) => ({ ip: bus.find(ClientIp), identity: bus.get(ClientIdentity), scheme: bus.get(RequestScheme) }),
  { reads: [ClientIdentity, RequestScheme], mayRead: [ClientIp] },
);

let aborted = 0;
const slow = Axon.start("slow", Type.Object({ ms: Type.Integer() })).thenFn("wait", ({ ms }, bus) => {
  bus.signal.addEventListener("abort", () => {
    aborted += 1;
  });
  return new Promise<string>((resolve) => setTimeout(resolve, ms, "done"));
});

const undecided = guard({ name: "undecided", run: (_input): Promise<Pass> => new Promise(() => {}) });

const count = Axon.start<AsyncIterable<Uint8Array>>("count").thenFn("count", async (body) => {
  let bytes = 0;
  for await (const piece of body) bytes += piece.length;
  return { bytes };
});

export const ingress = ({ address = "127.0.0.1:0", ...options }: Options & { readonly address?: string }) =>
  Framework.http(options)
    .bind(address)
    .get("/whoami", whoami)
    .get("/slow", slow)
    .get("/hasty", slow, { timeoutMs: 250 })
    .get("/patient", slow, { timeoutMs: 3_600_000 })
    .get(
      "/aborted",
      Axon.start("aborted").thenFn("count", () => ({ aborted })),
    )
    .get(
      "/big",
      Axon.start("big").thenFn("give", () => big),
    )
    .post("/stream", count, { input: stream(), timeoutMs: 250 })
    .post("/guarded", Axon.start<Uint8Array>("guarded"), {
      input: bytes(),
      guards: [undecided],
      timeoutMs: 250,
    })
    .post("/echo", Axon.start<Uint8Array>("echo"), { input: bytes() });
