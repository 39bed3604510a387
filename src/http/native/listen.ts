// Listening that fails loudly. The engine shares a port with whoever has it and
// tells no reason when it cannot listen, so node:net tries the address first.

import { chmodSync, lstatSync, type Stats } from "node:fs";
import { connect, createServer, isIP, type ListenOptions } from "node:net";

import { FrameworkError } from "#core/errors.js";
import { type Address, formatHostPort } from "../address.js";
import type { NativeApp, NativeServer, NativeSocket } from "./port.js";

export interface Listening {
  readonly socket: NativeSocket;
  /** The IP address and the number of the port, where it is no file. */
  readonly at?: HostPort;
  /** "127.0.0.1:3000" or "unix:/run/app.sock": the real port, where 0 was asked for. */
  readonly address: string;
  /** The socket's inode, where it is a file: another server may have replaced it since. */
  readonly inode?: number;
}

/** LIBUS_LISTEN_DEFAULT: others that say so too may share the port. */
const SHARED_PORT = 0;
/** LIBUS_LISTEN_EXCLUSIVE_PORT: nobody joins later. */
const EXCLUSIVE_PORT = 1;

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: "stop the process that has it, or bind another one; port 0 takes any free port",
  EACCES: "ports below 1024 and foreign folders need permission: bind another one, or grant it",
  EADDRNOTAVAIL: "no interface of this machine has that address",
  ENOTFOUND: "no such host: bind an address of this machine",
  ENOENT: "the folder does not exist",
  ENOTSOCK: "a file that is no socket stands there, and would be deleted: remove it, or bind another path",
};

/**
 * Throws LISTEN_FAILED with the address, the reason and the remedy. With `isShared` another
 * app may listen there later; the address itself must be free all the same.
 */
export async function listen(
  server: NativeServer,
  app: NativeApp,
  address: Address,
  isShared = false,
): Promise<Listening> {
  if (address.kind === "unix") return listenUnix(app, address.path);
  const free = await reserve(address);
  // The engine shares no port that it is to choose itself.
  if (isShared) return listenShared(server, app, free);
  return listenTcp(server, app, { host: free.host, port: address.port }, EXCLUSIVE_PORT);
}

/** Listens where other workers of the same supervisor do, which has tried the address, or another app of this server. */
export const listenShared = (server: NativeServer, app: NativeApp, at: HostPort): Promise<Listening> =>
  listenTcp(server, app, at, SHARED_PORT);

/** Tries the address, and answers it with an IP address and the number of a port. */
export async function reserve(address: HostPort): Promise<HostPort> {
  const ip = await resolved(address);
  const shown = formatHostPort(address.host, address.port);
  return { host: ip, port: await probe({ host: ip, port: address.port }, shown) };
}

async function resolved({ host, port }: HostPort): Promise<string> {
  if (isIP(host) !== 0) return host;
  const shown = formatHostPort(host, port);
  const { lookup } = await import("node:dns/promises");
  return lookup(host).then(
    (found) => found.address,
    (error: NodeJS.ErrnoException) => failed(shown, error.code ?? "ENOTFOUND", error),
  );
}

async function listenTcp(
  server: NativeServer,
  app: NativeApp,
  { host, port }: HostPort,
  sharing: number,
): Promise<Listening> {
  const socket = await new Promise<NativeSocket | false>((resolve) =>
    app.listen(host, port, sharing, resolve),
  );
  if (socket === false) return failed(formatHostPort(host, port), "EADDRINUSE");
  const at = { host, port: server.us_socket_local_port(socket) };
  return { socket, at, address: formatHostPort(host, at.port) };
}

async function listenUnix(app: NativeApp, path: string): Promise<Listening> {
  const shown = `unix:${path}`;
  const there = statsOf(path);
  if (there !== undefined) await requireAbandoned(there, path, shown);
  else await probe({ path }, shown);
  const socket = await new Promise<NativeSocket | false>((resolve) => app.listen_unix(resolve, path));
  if (socket === false) return failed(shown, "EACCES");
  chmodSync(path, 0o660);
  return { socket, address: shown, inode: lstatSync(path).ino };
}

/** Listens and stops: whoever cannot is told why. Answers the port, 0 for a path. */
function probe(options: ListenOptions, shown: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(listenFailed(shown, error.code ?? "unknown", error)),
    );
    server.listen({ ...options, exclusive: true }, () => {
      const bound = server.address();
      const port = typeof bound === "object" && bound !== null ? bound.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** The engine deletes what stands at the path, which is right for a socket whose server is gone and for nothing else. */
async function requireAbandoned(there: Stats, path: string, shown: string): Promise<void> {
  if (!there.isSocket()) failed(shown, "ENOTSOCK");
  const answer = await new Promise<string>((resolve) => {
    const client = connect(path, () => resolve("EADDRINUSE"));
    client.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    client.once("connect", () => client.destroy());
  });
  // Any other failure, a full queue say, comes of a server that lives.
  if (answer !== "ECONNREFUSED" && answer !== "ENOENT") failed(shown, answer);
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

const listenFailed = (shown: string, errno: string, cause?: unknown): FrameworkError =>
  new FrameworkError(
    "LISTEN_FAILED",
    `Cannot listen on ${shown}: ${errno}; ${REMEDIES[errno] ?? "bind another address"}`,
    { cause },
  );

function failed(shown: string, errno: string, cause?: unknown): never {
  throw listenFailed(shown, errno, cause);
}
