import { serverSuite } from "../measure/server.mjs";
import { plaintext } from "../subjects/greeting.mjs";

export default serverSuite({
  name: "request-id-pipelined",
  title: "Plaintext with request ids, 16 pipelined",
  measures:
    "the plaintext request with requestIdLayer(): x-request-id is read, a UUIDv7 made because there is none, and written on the answer; against the same gate and id by hand.",
  leavesOut: "clients that send an id of their own; what else plaintext-pipelined leaves out.",
  request: { path: "/", pipelined: 16 },
  answer: {
    status: 200,
    type: /^text\/plain/,
    text: plaintext,
    headers: { "x-request-id": /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/ },
  },
  arms: [
    { name: "hand-written with the same gate and id", server: "gated-with-id.mjs" },
    { name: "ours", ours: true, server: "ours.mjs", args: ["request-ids"] },
  ],
  bars: [{ arm: "ours", atLeast: 0.95, aim: 1 }],
});
