import { startSuite } from "../measure/start.mjs";

export default startSuite({
  name: "start",
  title: "Start to first answer",
  measures:
    "from the creation of the process to the first byte of its first answer, asked for each millisecond; a fresh process each time, five in each round. Ours and Fastify have one plaintext route and one JSON route with a checked body; raw has the plaintext route alone.",
  leavesOut: "cold disks, logging, plug-ins, large programs, TypeScript run without a build.",
  arms: [
    { name: "raw native", program: "raw.mjs" },
    { name: "ours", ours: true, program: "ours.mjs" },
    { name: "Fastify", program: "fastify.mjs" },
  ],
  bars: [{ arm: "ours", to: "Fastify", atMost: 0.75, aim: 0.57 }],
});
