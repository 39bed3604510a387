// Prints each failed run of a service. Arguments: the URL of its Inspector, and a token.

import type { FeedMessage, FeedRequest } from "framework/inspector";

const [inspector = "http://127.0.0.1:3001", token = ""] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };
const response = await fetch(`${inspector}/api/v1/tickets`, { method: "POST", headers });
const { data } = (await response.json()) as { data: { ticket: string } };
const url = `${inspector.replace("http", "ws")}/api/v1/events`;
const socket = new WebSocket(url, [data.ticket, "framework.inspector.v1"]);
const request: FeedRequest = { type: "subscribe", kinds: ["circuit_exit"], outcome: "error" };
socket.addEventListener("open", () => socket.send(JSON.stringify(request)));
socket.addEventListener("message", (received) => {
  const message = JSON.parse(String(received.data)) as FeedMessage;
  if (message.type === "error") console.log(message.detail);
  if (message.type !== "events") return;
  for (const event of message.events)
    if (event.kind === "circuit_exit") console.log(`${event.run.circuit}: ${event.run.fault?.code}`);
  if (message.lost > 0) console.log(`${message.lost} events lost`);
});
