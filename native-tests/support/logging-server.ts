// What the tests of the log start as a program of its own: its steps log, as much as
// they are asked to. It tells its address on stderr: stdout is the log's alone.

import { Axon, Framework, FrameworkConfig, guard, Log, pass, query, Type } from "framework";
import { AccessLogGuard } from "framework/std";

const chatty = Axon.start<{ lines: number }>("chatty").thenFn(
  "log",
  ({ lines }, bus) => {
    const log = bus.get(Log);
    for (let i = 0; i < lines; i += 1) log.info({ i, padding: "x".repeat(1000) }, "a line");
    return "logged";
  },
  { reads: [Log] },
);

const later = (effect: () => void) => () => {
  setTimeout(effect, 5);
  return "soon";
};

const logged = process.env["ACCESS_LOG"] === "on" ? new AccessLogGuard() : guard({ name: "none", run: pass });

const server = await Framework.http()
  .guard(logged)
  .bind("127.0.0.1:0")
  .config(FrameworkConfig.load())
  .get("/log", chatty, { input: query(Type.Object({ lines: Type.Integer() })) })
  .get(
    "/console",
    Axon.start("console").thenFn("print", () => void console.log("printed")),
  )
  .get(
    "/crash",
    Axon.start("crash").thenFn(
      "crash",
      later(() => {
        throw new Error("nobody catches this");
      }),
    ),
  )
  .get(
    "/exit",
    Axon.start("exit").thenFn(
      "exit",
      later(() => process.exit(3)),
    ),
  )
  .run();

process.stderr.write(`listening ${server.address}\n`);
