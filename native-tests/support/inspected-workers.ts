// A service of several workers, asked one by one, and its Inspector, which shows them as one.

import assert from "node:assert/strict";
import { Agent, request } from "node:http";

import { until } from "./patience.js";
import { type ServerProcess, startServer } from "./server-process.js";

const TOKEN = "operator-token-0123456789";

interface Answer {
  readonly status: number;
  readonly json: any;
}

/** Requests to one worker: over one connection, which the kernel has dealt to it. */
export class OneWorker {
  readonly pid: number;
  readonly #agent: Agent;
  readonly #address: string;

  private constructor(address: string, agent: Agent, pid: number) {
    this.#address = address;
    this.#agent = agent;
    this.pid = pid;
  }

  /** Whichever the kernel gives it. */
  static async any(address: string): Promise<OneWorker> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { json } = await asked(agent, `http://${address}/pid`, "GET");
    return new OneWorker(address, agent, json);
  }

  get(path: string): Promise<Answer> {
    return asked(this.#agent, `http://${this.#address}${path}`, "GET");
  }

  post(path: string, body: unknown): Promise<Answer> {
    return asked(this.#agent, `http://${this.#address}${path}`, "POST", body);
  }

  leave(): void {
    this.#agent.destroy();
  }
}

export class InspectedWorkers {
  readonly server: ServerProcess;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(server: ServerProcess) {
    this.server = server;
  }

  static async start(env: Record<string, string> = {}): Promise<InspectedWorkers> {
    return new InspectedWorkers(await startServer("inspected-workers-server.ts", { TOKEN, ...env }));
  }

  /** Of the first worker, as it is now: where that ends, the next one listens elsewhere. */
  get inspector(): { readonly host: string; readonly pid: number } {
    const [, host, pid] = [...this.server.stdout().matchAll(/^inspector (\S+) (\d+)$/gm)].at(-1) ?? [];
    assert.ok(host !== undefined, "It has told of no Inspector");
    return { host, pid: Number(pid) };
  }

  get headers(): Record<string, string> {
    return { host: "localhost", authorization: `Bearer ${TOKEN}` };
  }

  ask(method: string, path: string, body?: unknown): Promise<Answer> {
    return asked(this.#agent, `http://${this.inspector.host}${path}`, method, body, this.headers);
  }

  /** What is answered now, whoever is silent. */
  async dataNow(path: string): Promise<any> {
    const { status, json } = await this.ask("GET", path);
    assert.equal(status, 200, JSON.stringify(json));
    return json.data;
  }

  /** What is answered once all workers say something to it. */
  async data(path: string): Promise<any> {
    let data: any;
    await until("no worker is silent", async () => {
      data = await this.dataNow(path);
      return (data.workers_silent ?? 0) === 0;
    });
    return data;
  }

  /** Every worker has the breakpoints by now: it has answered behind what it was told of them. */
  async know(): Promise<void> {
    await this.data("/api/v1/breakpoints");
  }

  /** Each of the workers, by a connection of its own, that with the Inspector first. */
  async workers(count: number): Promise<readonly OneWorker[]> {
    const found = new Map<number, OneWorker>();
    await until(`${count} workers answer`, async () => {
      // One that ends takes with it who was given to it.
      const one = await OneWorker.any(this.server.address).catch(() => undefined);
      if (one === undefined) return false;
      if (found.has(one.pid)) one.leave();
      else found.set(one.pid, one);
      return found.size === count;
    });
    const { pid } = this.inspector;
    return [...found.values()].sort((a, b) => Number(b.pid === pid) - Number(a.pid === pid));
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    assert.equal(await this.server.stop(), 0, this.server.log());
  }
}

function asked(
  agent: Agent,
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(url, {
      agent,
      method,
      headers: {
        ...headers,
        ...(text !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
        }),
      },
    });
    sent.on("error", reject).on("response", (response) => {
      let received = "";
      response
        .setEncoding("utf8")
        .on("data", (piece: string) => {
          received += piece;
        })
        .on("end", () => resolve({ status: response.statusCode ?? 0, json: jsonOf(received) }));
    });
    sent.end(text);
  });
}

function jsonOf(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
