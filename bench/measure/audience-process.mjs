// Clients that listen: `node audience-process.mjs websocket|sse PORT COUNT`. Each message
// has one MARK and no other byte of its framing has it, so they are counted as bytes, however
// they are cut. READY is written when all are connected; for a number on its input, REACHED once
// as many messages have come in all.

import { connect } from "node:net";
import { createInterface } from "node:readline";

const MARK = "!".charCodeAt(0);
const AT_ONCE = 100;
const HEADS = {
  websocket: {
    request:
      "GET /feed HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    status: "HTTP/1.1 101 ",
  },
  sse: {
    request: "GET /feed HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n",
    status: "HTTP/1.1 200 ",
  },
};

const [kind, port, count] = process.argv.slice(2);
const { request, status } = HEADS[kind];

let heard = 0;
let awaited = Number.POSITIVE_INFINITY;

function listener() {
  return new Promise((resolve, reject) => {
    let head = "";
    let isOpen = false;
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(request));
    socket.on("data", (data) => {
      if (isOpen) {
        hear(data);
        return;
      }
      head += data.toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      if (end === -1) return;
      if (!head.startsWith(status)) reject(new Error(head));
      isOpen = true;
      resolve();
      hear(Buffer.from(head.slice(end + 4), "latin1"));
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("The server ended a connection")));
  });
}

function hear(data) {
  for (let at = data.indexOf(MARK); at !== -1; at = data.indexOf(MARK, at + 1)) heard += 1;
  tellWhenReached();
}

function tellWhenReached() {
  if (heard < awaited) return;
  awaited = Number.POSITIVE_INFINITY;
  process.stdout.write("REACHED\n");
}

// One before the others: the servers of WebSockets have it publish.
await listener();
for (let open = 1; open < Number(count); open += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, Number(count) - open) }, listener));
process.stdout.write("READY\n");

for await (const line of createInterface({ input: process.stdin })) {
  awaited = Number(line);
  tellWhenReached();
}
process.exit(0);
