// What a rolling restart is tried with: who answers, and whether a body arrived whole.

import { Axon, Framework, text } from "framework";

const { ADDRESS = "127.0.0.1:0", IDLE_MS = "12000" } = process.env;
const own = `${process.pid}`;
// Long enough that a server which cuts what it has in flight cuts some of them.
const later = (text: string) => new Promise<string>((resolve) => setTimeout(resolve, 50, text));

const server = await Framework.http()
  .bind(ADDRESS)
  // On loopback it would have none: the proxy needs a moment to look elsewhere.
  .shutdownDelay(1500)
  .drainIdle(Number(IDLE_MS))
  .readinessLivenessDefault()
  .get(
    "/",
    Axon.start("who").thenFn("who", () => own),
  )
  .get(
    "/later",
    Axon.start("later").thenFn("later", () => later(own)),
  )
  .post(
    "/echo",
    Axon.start<string>("echo").thenFn("echo", (body) => later(`${own} ${body}`)),
    { input: text() },
  )
  .run();

console.log(`listening ${server.address}`);
