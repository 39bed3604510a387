// A listening ingress, and how it stops: the listener closes, answers that are due
// are given and end their connections, the rest is closed.

import { lstatSync, unlinkSync } from "node:fs";

import { Dispatcher } from "./dispatcher.js";
import { InFlight } from "./in-flight.js";
import type { IngressPlan } from "./ingress-plan.js";
import { reportLoopDelay } from "./loop-delay.js";
import { isTestedBinary, nativeBinding } from "./native/binding.js";
import { listen } from "./native/listen.js";
import type { NativeApp } from "./native/port.js";
import { guardProcess } from "./process-guards.js";

export interface RunningServer {
  /** Where it listens: "127.0.0.1:3000", with the real port, or "unix:/path". */
  readonly address: string;
  /** Stops it; resolves when it has stopped. */
  close(): Promise<void>;
  /** Resolves when it has stopped, by whomever: true where no run was cut. */
  readonly closed: Promise<boolean>;
}

export async function start(
  plan: IngressPlan,
  resources: Readonly<Record<string, unknown>>,
): Promise<RunningServer> {
  const inFlight = new InFlight();
  const dispatcher = new Dispatcher(plan, resources, inFlight);
  const binding = nativeBinding();
  const { server } = binding;
  const app = server.App();
  attach(app, dispatcher);
  const { socket, address, inode } = await listen(server, app, plan.address);
  dispatcher.deadlines.start();

  // Reading and hashing 7 MB can wait until the first requests are answered.
  const endLoopDelay = reportLoopDelay(plan.reporter);
  const checkingBinary = setTimeout(() => warnOfUntestedBinary(plan), 1000).unref();

  let stopping: Promise<boolean> | undefined;
  const stop = async (): Promise<boolean> => {
    clearTimeout(checkingBinary);
    endLoopDelay();
    server.us_listen_socket_close(socket);
    const drained = await within(plan.shutdownTimeoutMs, inFlight.drain());
    if (!drained) dispatcher.reportCut(plan.shutdownTimeoutMs);
    app.close();
    dispatcher.deadlines.stop();
    if (plan.address.kind === "unix") removeSocket(plan.address.path, inode);
    unguard?.();
    return drained;
  };
  let tellClosed: (drained: boolean) => void = () => {};
  const closed = new Promise<boolean>((resolve) => {
    tellClosed = resolve;
  });
  const close = async (): Promise<void> => {
    stopping ??= stop();
    tellClosed(await stopping);
  };
  const unguard = plan.processGuards ? guardProcess({ close, closed, reporter: plan.reporter }) : undefined;
  return { address, close, closed };
}

/** Whether the promise resolved in time. */
function within(ms: number, promise: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function removeSocket(path: string, inode: number | undefined): void {
  try {
    if (lstatSync(path).ino === inode) unlinkSync(path);
  } catch {
    // Gone already: that is what was wanted.
  }
}

function warnOfUntestedBinary({ reporter }: IngressPlan): void {
  const binding = nativeBinding();
  if (isTestedBinary(binding) !== false) return;
  const message = `The native server ${binding.source} is not the binary that was tested: install the version that package.json names`;
  reporter({ code: "NATIVE_UNTESTED", message });
}

/** The engine tells the usual methods apart while it routes; asking a request for its method crosses into it once more. */
function attach(app: NativeApp, dispatcher: Dispatcher): void {
  const handlerOf =
    (method: string): Parameters<NativeApp["any"]>[1] =>
    (response, request) =>
      dispatcher.handle(response, request, method);
  app
    .get("/*", handlerOf("GET"))
    .head("/*", handlerOf("HEAD"))
    .post("/*", handlerOf("POST"))
    .put("/*", handlerOf("PUT"))
    .patch("/*", handlerOf("PATCH"))
    .del("/*", handlerOf("DELETE"))
    .options("/*", handlerOf("OPTIONS"))
    .any("/*", (response, request) => dispatcher.handle(response, request, request.getCaseSensitiveMethod()));
}
