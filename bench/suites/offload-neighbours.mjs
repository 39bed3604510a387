import { neighboursSuite } from "../measure/neighbours.mjs";

const arm = (name, beside) => ({ name, server: "offloading.mjs", beside, ours: true });

export default neighboursSuite({
  name: "offload-neighbours",
  title: "Requests beside work of 20 ms",
  measures:
    "requests of a route that does nothing, one after another, while another client has work of 20 ms done all the time: in a thread, or on the event loop.",
  leavesOut: "more work than there are threads, and fewer cores than the loop, a thread and a client need.",
  path: "/live",
  arms: [arm("no work"), arm("offloaded", "/offloaded"), arm("on the loop", "/inline")],
  bars: [{ arm: "offloaded", atMost: 2, aim: 1.2 }],
});
