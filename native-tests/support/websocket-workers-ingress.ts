// Workers whose connections are in one room, wherever they are: each is told who serves it.

import { Framework } from "framework";
import { workerRooms } from "framework/http";

export const ingress = () =>
  Framework.http({ rooms: workerRooms() })
    .bind("127.0.0.1:0")
    .workers(2)
    .drainIdle(0)
    .ws("/room", {
      open(_, connection) {
        connection.subscribe("room");
        connection.send(`served by ${process.pid}`);
      },
      message: (message, connection) => void connection.publish("room", message),
    });
