// Routes that are limited. Buckets of its own
// routes are refilled within hours: how fast the machine is makes no difference.

import { Axon, Framework } from "framework";
import { RateLimitGuard } from "framework/std";
import { apiKey, limited, limits } from "../../examples/conformance/limited.js";
import type { Options } from "./served.js";

const HOUR_MS = 3_600_000;

const hourly = (name: string) => new RateLimitGuard(10, HOUR_MS, { name });
const slow = Axon.start("slow").thenFn("wait", async () => {
  await new Promise(setImmediate);
  return "within the limit";
});

export const ingress = (options: Options) =>
  Framework.http(options)
    .bind("127.0.0.1:0")
    .get("/limited", limited, limits)
    .get("/address", limited, { guards: [hourly("address")] })
    .get("/keyed", limited, { guards: [apiKey, hourly("keyed")] })
    .get("/slow", slow, { guards: [apiKey, hourly("slow")] });
