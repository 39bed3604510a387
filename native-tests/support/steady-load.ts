// Clients that ask one request after the other while servers behind a proxy are restarted.

import { Agent, request } from "node:http";

import { pause } from "./patience.js";

export interface RestartOutcome {
  readonly sent: number;
  /** At most one a request. */
  readonly failures: readonly string[];
  /** The processes that answered. */
  readonly answered: ReadonlySet<string>;
}

interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request, and resolves to the text of a response with status 200. */
export type Ask = (asked: LoadRequest) => Promise<string>;

export interface LoadOptions {
  readonly address: string;
  readonly clients: number;
  /** How long each client waits between two requests. */
  readonly pauseMs: number;
  /** Sends request `number`, and resolves to the name of the process that answered. */
  readonly one: (number: number, ask: Ask) => Promise<string>;
}

export class SteadyLoad implements RestartOutcome {
  sent = 0;
  ends = false;
  readonly failures: string[] = [];
  readonly answered = new Set<string>();
  readonly #options: LoadOptions;
  readonly #agent: Agent;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.clients });
  }

  run(): readonly Promise<void>[] {
    return Array.from({ length: this.#options.clients }, () => this.#client());
  }

  async end(clients: readonly Promise<void>[]): Promise<void> {
    this.ends = true;
    await Promise.all(clients);
    this.#agent.destroy();
  }

  /** Resolves once the proxy gives requests to it. */
  async isAnsweredBy(name: string): Promise<void> {
    for (let i = 0; i < 1200 && !this.answered.has(name); i += 1) {
      await pause(25);
      // While the clients run they see which process answers.
      if (this.sent === 0) this.answered.add(await this.#options.one(1, this.#ask).catch(() => ""));
    }
    if (!this.answered.has(name)) throw new Error(`The proxy gave nothing to ${name}`);
  }

  async #client(): Promise<void> {
    while (!this.ends) {
      const number = this.sent;
      this.sent += 1;
      try {
        this.answered.add(await this.#options.one(number, this.#ask));
      } catch (error) {
        this.failures.push(`request ${number}: ${(error as Error).message}`);
      }
      await pause(this.#options.pauseMs);
    }
  }

  readonly #ask: Ask = ({ method, path, headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const [host, port] = this.#options.address.split(":");
      request({ agent: this.#agent, host, port, method, path, headers }, (response) => {
        let text = "";
        response
          .on("data", (data) => {
            text += data;
          })
          .on("end", () => {
            if (response.statusCode === 200) resolve(text);
            else reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${text}`));
          })
          .on("error", reject);
      })
        .on("error", (error: NodeJS.ErrnoException) => reject(new Error(`${method} ${path}: ${error.code}`)))
        .end(body);
    });
}
