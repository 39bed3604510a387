import { connect, createServer, type Socket } from "node:net";
import { freePort } from "./free-port.js";

export interface SilentProxy {
  readonly port: number;
  /** Keeps the connections on which this was sent, and lets nothing of the server come by them. */
  readonly silence: (sent: RegExp) => number;
  readonly stop: () => void;
}

/** Stands before a server on loopback. */
export async function silentProxy(to: number): Promise<SilentProxy> {
  const pairs = new Map<Socket, { readonly server: Socket; sent: string }>();
  const listener = createServer((client) => {
    const pair = { server: connect(to, "127.0.0.1"), sent: "" };
    pairs.set(client, pair);
    client.on("data", (data) => {
      pair.sent += data.toString("latin1");
      pair.server.write(data);
    });
    pair.server.pipe(client);
    for (const socket of [client, pair.server])
      socket
        .on("error", () => {})
        .on("close", () => {
          client.destroy();
          pair.server.destroy();
          pairs.delete(client);
        });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => listener.listen(port, "127.0.0.1", resolve));
  return {
    port,
    silence: (sent) => {
      const silenced = [...pairs].filter(([, pair]) => sent.test(pair.sent));
      for (const [client, { server }] of silenced) server.unpipe(client).resume();
      return silenced.length;
    },
    stop: () => {
      listener.close();
      for (const client of pairs.keys()) client.destroy();
    },
  };
}
