// Routes that respond before a body has arrived, and one that says what it ran.

import { Axon, Framework, fault, guard, ProblemDetail, Type } from "framework";

const locked = new ProblemDetail({ status: 401, code: "LOCKED", title: "The door is locked" });
const door = guard({ name: "Door", run: () => fault(locked) });
const size = Axon.start("size", Type.Any()).thenFn("tell", () => "read");
const behind = Axon.start("behind").thenFn("run", () => {
  console.log("ran behind");
  return "behind";
});

export const ingress = () =>
  Framework.http({ discardLimitBytes: 4_194_304, discardTimeoutMs: 1000 })
    .bind("127.0.0.1:0")
    .drainIdle(0)
    .bodyLimit(1000)
    .post("/size", size)
    .post("/locked", size, { guards: [door] })
    .get("/behind", behind);
