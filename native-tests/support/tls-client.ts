import { once } from "node:events";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";

import type { RunningServer } from "framework";

export const portOf = ({ address }: Pick<RunningServer, "address">): number =>
  Number(/\d+$/.exec(address)?.[0]);

/** A connection whose handshake is done; rejects where it fails or the server closes it before. */
export async function connected(
  server: Pick<RunningServer, "address">,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port: portOf(server), servername: "localhost", ...options });
  // Told of at once, or later by whoever reads.
  socket.on("error", () => {});
  await Promise.race([
    once(socket, "secureConnect"),
    once(socket, "close").then(() => Promise.reject(new Error("closed during the handshake"))),
  ]);
  return socket;
}

/** The body of an answer to GET on the connection. */
export async function got(
  socket: TLSSocket,
  path = "/",
  host = "localhost",
): Promise<{ readonly head: string; readonly body: string }> {
  let text = "";
  const read = new Promise<{ head: string; body: string }>((resolve, reject) => {
    const take = (piece: Buffer): void => {
      text += piece.toString("latin1");
      const [head = "", body = ""] = text.split("\r\n\r\n", 2);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      if (body.length !== length) return;
      socket.off("data", take);
      resolve({ head, body });
    };
    socket.on("data", take);
    socket.once("close", () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return read;
}

/** The name in the certificate that the server shows. */
export const shownName = (socket: TLSSocket): string => String(socket.getPeerCertificate().subject.CN);

/** On a connection of its own. */
export async function shownNow(
  server: Pick<RunningServer, "address">,
  options: ConnectionOptions = {},
): Promise<string> {
  const socket = await connected(server, { rejectUnauthorized: false, ...options });
  const name = shownName(socket);
  socket.destroy();
  return name;
}
