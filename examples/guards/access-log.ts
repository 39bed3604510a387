// Letters to the harbour master: each answer is a line in the log, without what is nobody's business.

import { Axon, Framework, param } from "framework";
import { AccessLogEntry } from "framework/core";
import { AccessLogGuard } from "framework/std";

const letter = Axon.start("letter").thenFn(
  "find",
  { uses: { entry: AccessLogEntry, name: param("name") } },
  (_, bus) => {
    bus.entry.add({ sealed: true });
    return `A letter to ${bus.name}`;
  },
);
const berths = Axon.start("berths").thenFn("count", () => "3");

export const letters = () =>
  Framework.http()
    .requestIdLayer()
    .guard(
      new AccessLogGuard({
        headers: ["accept-language", "authorization"],
        query: ["page", "token"],
        redactPaths: ["/letters/*"],
        skip: ["/berths"],
      }),
    )
    .get("/letters/:name", letter)
    .get("/berths", berths);
