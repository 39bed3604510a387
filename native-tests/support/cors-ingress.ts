// What the wire tests of CORS talk to: an ingress whose guard allows origins in every way there is.

import { Axon, bytes, Framework, Type } from "framework";
import { CorsGuard } from "framework/std";
import type { Options } from "./served.js";

export const ingress = (options: Options) =>
  Framework.http(options)
    .bind("127.0.0.1:0")
    .guard(
      new CorsGuard({
        allowedOrigins: [
          "https://app.example",
          "https://*.staging.example",
          (origin) => origin.includes("friend"),
        ],
        allowedMethods: ["GET", "POST"],
        allowedHeaders: ["content-type"],
        allowCredentials: true,
      }),
    )
    .get(
      "/",
      Axon.start("hello").thenFn("greet", () => "hello"),
    )
    .post("/echo", Axon.start<Uint8Array>("echo"), { input: bytes(), bodyLimit: 16 })
    .post("/json", Axon.start("json", Type.Object({ id: Type.String() })));
