// What a rolling restart is tried with: who answers, and whether a body arrived whole.

import { Axon, Framework, text } from "framework";

const own = `${process.pid}`;
// Long enough that a server which cuts what it has in flight cuts some of them.
const later = (text: string) => new Promise<string>((resolve) => setTimeout(resolve, 50, text));

interface RollingOptions {
  readonly address: string;
  readonly drainIdleMs: number;
}

export const ingress = ({ address, drainIdleMs }: RollingOptions) =>
  Framework.http()
    .bind(address)
    // On loopback it would have none: the proxy needs a moment to look elsewhere.
    .shutdownDelay(1500)
    .drainIdle(drainIdleMs)
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
    );
