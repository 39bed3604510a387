// The same work on the event loop and in a thread: what a request of /live notices of it.

import { Axon, bytes, Framework, ProblemDetail, Type, workerModule, workerTransition } from "framework";

import { type Picture, seal, type TooSmall } from "./work.js";

const work = workerModule<typeof import("./work.js")>(new URL("./work.js", import.meta.url));

/** Square pictures: a byte for each pixel. */
const square = (given: Uint8Array): Picture => {
  const width = Math.floor(Math.sqrt(given.byteLength));
  return { width, height: width, pixels: new Uint8Array(given) };
};

const halve = workerTransition({
  name: "halve",
  module: work,
  export: "halve",
  // Both ways without a copy.
  transfer: ({ pixels }) => [pixels.buffer as ArrayBuffer],
  transferOutput: true,
  timeoutMs: 10_000,
});

const thumbnail = Axon.start<Uint8Array>("thumbnail").thenFn("square", square).offload(halve);

const sealed = Axon.start<Uint8Array>("sealed")
  .thenFn("square", square)
  .offload(workerTransition({ name: "seal", module: work, export: "seal" }));

const sealedInline = Axon.start<Uint8Array>("sealed-inline").thenFn("square", square).thenFn("seal", seal);

export const app = () =>
  Framework.http()
    .readinessLivenessDefault()
    .post(
      "/thumbnails",
      thumbnail.thenFn("bytes", ({ pixels }) => pixels),
      {
        input: bytes(),
        onFault: ({ code }: TooSmall) =>
          new ProblemDetail({ status: 422, code, title: "The picture is too small" }),
        responseSchemas: { 422: Type.Object({ code: Type.Literal("TOO_SMALL") }) },
      },
    )
    .post("/seals", sealed, { input: bytes() })
    .post("/seals-inline", sealedInline, { input: bytes() });
