// The engine shares a used port silently, and reports no reason if it cannot listen. So node:net
// tries the address first.

import { chmodSync, lstatSync, type Stats } from "node:fs";
import { connect, createServer, isIP, type ListenOptions } from "node:net";

import { FrameworkError } from "#core/errors.js";
import { type Address, formatHostPort } from "../refusal/address.js";
import type { NativeApp, NativeServer, NativeSocket } from "./port.js";

export interface Listening {
  readonly socket: NativeSocket;
  /** Undefined for a socket file. */
  readonly at?: HostPort;
  /** "127.0.0.1:3000", with the real port, or "unix:/run/app.sock". */
  readonly address: string;
  /** Inode of a socket file, to detect that another server has replaced it. */
  readonly inode?: number;
}

const SHARED_PORT = 0;
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

/** Rejects with LISTEN_FAILED: address, reason and remedy. With `isShared` another app may join later. */
export async function listen(
  server: NativeServer,
  app: NativeApp,
  address: Address,
  isShared = false,
): Promise<Listening> {
  if (address.kind === "unix") return listenUnix(app, address.path);
  const free = await reserve(address);
  // The engine cannot choose a free port for a shared listener.
  if (isShared) return listenShared(server, app, free);
  return listenTcp(server, app, { host: free.host, port: address.port }, EXCLUSIVE_PORT);
}

/** Listens on an address that another worker or app of this server uses. */
export const listenShared = (server: NativeServer, app: NativeApp, at: HostPort): Promise<Listening> =>
  listenTcp(server, app, at, SHARED_PORT);

/** Tests the address. Resolves to the numeric host and port. */
export async function reserve(address: HostPort): Promise<HostPort> {
  const ip = await resolved(address);
  const shown = formatHostPort(address.host, address.port);
  return { host: ip, port: await probe({ host: ip, port: address.port }, shown) };
}

async function resolved({ host, port }: HostPort): Promise<string> {
  if (isIP(host) !== 0) return host;
  const { lookup } = await import("node:dns/promises");
  try {
    return (await lookup(host)).address;
  } catch (error) {
    throw failed(formatHostPort(host, port), (error as NodeJS.ErrnoException).code ?? "ENOTFOUND", error);
  }
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
  if (socket === false) throw failed(formatHostPort(host, port), "EADDRINUSE");
  const at = { host, port: server.us_socket_local_port(socket) };
  return { socket, at, address: formatHostPort(host, at.port) };
}

async function listenUnix(app: NativeApp, path: string): Promise<Listening> {
  const shown = `unix:${path}`;
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined) await requireAbandoned(there, path, shown);
  else await probe({ path }, shown);
  const socket = await new Promise<NativeSocket | false>((resolve) => app.listen_unix(resolve, path));
  if (socket === false) throw failed(shown, "EACCES");
  chmodSync(path, 0o660);
  return { socket, address: shown, inode: lstatSync(path).ino };
}

/** Listens and closes again. Resolves to the port, or 0 for a path. */
function probe(options: ListenOptions, shown: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(failed(shown, error.code ?? "unknown", error)),
    );
    server.listen({ ...options, exclusive: true }, () => {
      const bound = server.address();
      const port = typeof bound === "object" && bound !== null ? bound.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** The engine deletes the file at the path, so the file must be a socket without a server. */
async function requireAbandoned(there: Stats, path: string, shown: string): Promise<void> {
  if (!there.isSocket()) throw failed(shown, "ENOTSOCK");
  const answer = await new Promise<string>((resolve) => {
    const client = connect(path, () => resolve("EADDRINUSE"));
    client.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    client.once("connect", () => client.destroy());
  });
  // Any other failure, such as a full queue, means a live server.
  if (answer !== "ECONNREFUSED" && answer !== "ENOENT") throw failed(shown, answer);
}

function failed(shown: string, errno: string, cause?: unknown): FrameworkError {
  const message = `Cannot listen on ${shown}: ${errno}; ${REMEDIES[errno] ?? "bind another address"}`;
  return new FrameworkError("LISTEN_FAILED", message, { cause });
}
