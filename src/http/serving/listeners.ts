// Listening apps of an ingress: one app, and with TLS one more per previous certificate that still has
// connections. The app of a new certificate listens before the previous one stops, so that connections
// are accepted; those in the old accept queue at that moment are reset. A connection stays with its
// app, which is closed after its last connection.

import { lstatSync, unlinkSync } from "node:fs";
import { nativeBinding } from "../native/binding.js";
import type { Connections } from "../native/connections.js";
import { type Listening, listen, listenShared } from "../native/listen.js";
import type { NativeApp, NativeServer } from "../native/port.js";
import { tlsApp } from "../native/tls-app.js";
import type { WorkerMark } from "../plan/extension.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { CertificateWatch } from "../tls/certificate-watch.js";
import { type Credentials, isAsRead, readCredentials } from "../tls/credentials.js";
import { type AttachedEngine, attachWebSockets } from "../websocket/web-sockets.js";
import { traced } from "./rejection-context.js";
import type { ServedIngress } from "./served-ingress.js";

/** Rejects with TLS_INVALID, before the server starts any part. */
export async function requireCertificates({ tls }: Pick<IngressPlan, "tls">): Promise<void> {
  if (tls !== undefined) await readCredentials(tls, Date.now());
}

export interface ListenersContext {
  readonly plan: IngressPlan;
  readonly served: ServedIngress;
  readonly connections: Connections;
  readonly worker: WorkerMark | undefined;
}

/** Rejects with LISTEN_FAILED or TLS_INVALID. */
export async function openListeners(context: ListenersContext): Promise<Listeners> {
  const { server } = nativeBinding(context.plan.headLimit);
  const { worker, plan } = context;
  const made = await firstApp(server, context);
  const listening = await (worker === undefined
    ? listen(server, made.app, plan.address, plan.tls !== undefined)
    : listenShared(server, made.app, worker));
  return new Listeners(server, context, { ...made, listening }, made.credentials);
}

/** Number of attempts, because the files may be being written. */
const TRIES = 5;

async function firstApp(
  server: NativeServer,
  context: ListenersContext,
): Promise<Made & { readonly credentials: Credentials | undefined }> {
  const { tls } = context.plan;
  if (tls === undefined) return { ...madeApp(server, context, undefined), credentials: undefined };
  for (let tries = 1; ; tries += 1) {
    const credentials = await readCredentials(tls, Date.now());
    const made = madeApp(server, context, credentials);
    if (tries === TRIES || (await isAsRead(credentials))) return { ...made, credentials };
    discard(made.app, context);
  }
}

interface Made {
  readonly app: NativeApp;
  readonly use: Use;
}

interface Served extends Made {
  readonly listening: Listening;
}

/** The connections of one app, WebSockets included. */
interface Use {
  count: number;
  onNone: () => void;
}

export class Listeners {
  readonly address: string;
  readonly #server: NativeServer;
  readonly #context: ListenersContext;
  readonly #watch: CertificateWatch | undefined;
  #current: Served;
  /** Apps of previous certificates. */
  readonly #retired = new Set<NativeApp>();
  #isClosed = false;

  constructor(
    server: NativeServer,
    context: ListenersContext,
    first: Served,
    credentials: Credentials | undefined,
  ) {
    this.#server = server;
    this.#context = context;
    this.#current = first;
    this.address = first.listening.address;
    const { tls, reporter } = context.plan;
    const serve = (changed: Credentials): Promise<boolean> => this.#exchange(changed);
    if (tls !== undefined && credentials !== undefined)
      this.#watch = new CertificateWatch({ plan: tls, served: credentials, serve, reporter });
  }

  /** Stops accepting connections. */
  close(): void {
    this.#isClosed = true;
    this.#watch?.end();
    this.#server.us_listen_socket_close(this.#current.listening.socket);
  }

  /** Closes every connection. */
  end(): void {
    for (const app of this.#retired) app.close();
    this.#retired.clear();
    this.#current.app.close();
    const { address } = this.#context.plan;
    if (address.kind === "unix") removeSocket(address.path, this.#current.listening.inode);
  }

  /** Switches to a changed certificate. Resolves to false if the files changed again, or the server stops. */
  async #exchange(credentials: Credentials): Promise<boolean> {
    const made = madeApp(this.#server, this.#context, credentials);
    const next = await this.#listenToo(made, credentials).catch((error: unknown) => {
      discard(made.app, this.#context);
      throw error;
    });
    // The listeners may have been closed meanwhile.
    if (next === undefined || this.#isClosed) {
      discard(made.app, this.#context);
      return false;
    }
    const before = this.#current;
    this.#current = next;
    this.#server.us_listen_socket_close(before.listening.socket);
    this.#retire(before);
    return true;
  }

  async #listenToo(made: Made, credentials: Credentials): Promise<Served | undefined> {
    const { at } = this.#current.listening;
    if (!(await isAsRead(credentials)) || this.#isClosed || at === undefined) return undefined;
    return { ...made, listening: await listenShared(this.#server, made.app, at) };
  }

  /** Closes an app after its last connection, but not inside the callback that reports its end. */
  #retire({ app, use }: Served): void {
    this.#retired.add(app);
    const end = (): void => {
      setImmediate(() => {
        if (this.#retired.delete(app)) discard(app, this.#context);
      });
    };
    if (use.count === 0) end();
    else use.onNone = end;
  }
}

function madeApp(
  server: NativeServer,
  { plan, served, connections }: ListenersContext,
  credentials: Credentials | undefined,
): Made {
  const use: Use = { count: 0, onNone: () => {} };
  const changed: Connections["changed"] = (response, change) => {
    use.count += change;
    connections.changed(response, change);
    if (use.count === 0) use.onNone();
  };
  const ended = (): void => {
    use.count -= 1;
    connections.ended();
    if (use.count === 0) use.onNone();
  };
  const attachTo = (app: NativeApp): void => attach(app, served, plan, { server, ended });
  if (credentials !== undefined) return { app: tlsApp(server, credentials, attachTo).filter(changed), use };
  const app = server.App();
  attachTo(app);
  return { app: app.filter(changed), use };
}

function discard(app: NativeApp, { served }: ListenersContext): void {
  served.webSockets.rooms.leave(app);
  app.close();
}

function removeSocket(path: string, inode: number | undefined): void {
  try {
    if (lstatSync(path).ino === inode) unlinkSync(path);
  } catch {
    // The file is already deleted.
  }
}

/** Attaches all routes to an app. With TLS it is called per certificate and per further name. */
function attach(
  app: NativeApp,
  { dispatcher, webSockets }: ServedIngress,
  { traceRejections }: IngressPlan,
  engine: AttachedEngine,
): void {
  const handle: ServedIngress["dispatcher"]["handle"] = traceRejections
    ? (response, request, method, _id, upgrade) =>
        traced(response, request, (bound, id) => dispatcher.handle(bound, request, method, id, upgrade))
    : (response, request, method, id, upgrade) => dispatcher.handle(response, request, method, id, upgrade);
  const upgradesBy = (behaviour: number, path: string): boolean => dispatcher.upgradesBy(behaviour, path);
  attachWebSockets(app, webSockets, { upgradesBy, handle }, engine);
  // The pattern determines the method: reading it from the request would cost another call.
  const handlerOf =
    (method: string): Parameters<NativeApp["any"]>[1] =>
    (response, request) =>
      handle(response, request, method);
  app
    .get("/*", handlerOf("GET"))
    .head("/*", handlerOf("HEAD"))
    .post("/*", handlerOf("POST"))
    .put("/*", handlerOf("PUT"))
    .patch("/*", handlerOf("PATCH"))
    .del("/*", handlerOf("DELETE"))
    .options("/*", handlerOf("OPTIONS"))
    .any("/*", (response, request) => handle(response, request, request.getCaseSensitiveMethod()));
}
