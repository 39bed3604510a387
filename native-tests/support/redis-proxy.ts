import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Passes bytes on to a server of this machine; answers take `delayMs` longer. `stop` ends what is open. */
export async function slowProxy(port: number, delayMs: number) {
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(socket);
      socket
        .on("error", () => {})
        .on("close", () => {
          open.delete(socket);
          other.destroy();
        });
    }
    from.pipe(to);
    to.on("data", (bytes) => {
      const timer = setTimeout(() => from.write(bytes), delayMs);
      from.on("close", () => clearTimeout(timer));
    });
  });
  return listening(server, open);
}

/** A server that knows INFO alone, and answers it with this text. */
export async function fakeRedis(info: string) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    socket.on("data", (bytes) => {
      for (const [, name = ""] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g))
        socket.write(
          name.toLowerCase() === "info"
            ? `$${info.length}\r\n${info}\r\n`
            : `-ERR unknown command '${name}'\r\n`,
        );
    });
  });
  return listening(server, open);
}

async function listening(server: Server, open: ReadonlySet<Socket>) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
