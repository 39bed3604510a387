// Workers whose rooms are joined: each says what it hears.

import { Axon, Framework, param } from "framework";
import { workerRooms } from "framework/http";

const rooms = workerRooms();

/** Publishes in the process that is meant. */
const say = Axon.start("say").thenFn(
  "say",
  (_, bus) => {
    if (bus.get(param("pid")) !== String(process.pid)) return 0;
    rooms.publish("room", bus.get(param("what")), false);
    return process.pid;
  },
  { reads: [param("pid"), param("what")] },
);

export const ingress = () =>
  Framework.http()
    .bind("127.0.0.1:0")
    .workers(3)
    .drainIdle(0)
    .get(
      "/pid",
      Axon.start("pid").thenFn("pid", () => process.pid),
    )
    .get("/say/:pid/:what", say)
    .onStart(() => {
      rooms.subscribe({
        message: (_, message) => console.log(`${process.pid} heard ${message}`),
        failed: (message) => console.log(message),
      });
      return () => rooms.dispose();
    });
