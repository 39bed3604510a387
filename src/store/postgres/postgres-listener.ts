import type * as Pg from "pg";

export interface Listening {
  readonly channel: string;
  readonly heard: () => void;
  /** Of a connection that keeps no process alive. */
  readonly connect: () => Promise<Pg.Client>;
  readonly pauseMs: number;
}

/** Listens on a connection of its own, which is made again after it was lost. */
export class PostgresListener {
  readonly #of: Listening;
  #client: Pg.Client | undefined;
  #again: NodeJS.Timeout | undefined;
  #connecting: Promise<void>;
  #isOver = false;

  constructor(of: Listening) {
    this.#of = of;
    this.#connecting = this.#connect();
  }

  readonly end = async (): Promise<void> => {
    this.#isOver = true;
    clearTimeout(this.#again);
    await this.#connecting;
    await this.#client?.end().catch(() => {});
  };

  async #connect(): Promise<void> {
    const { channel, heard, connect } = this.#of;
    try {
      const client = await connect();
      this.#client = client;
      for (const event of ["error", "end"] as const) client.on(event, () => this.#lost(client));
      client.on("notification", heard);
      await client.query(`LISTEN "${channel}"`);
      // What was told in between.
      heard();
    } catch {
      this.#lost(this.#client);
    }
  }

  #lost(client: Pg.Client | undefined): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client?.end().catch(() => {});
    if (this.#isOver) return;
    this.#again = setTimeout(() => {
      this.#connecting = this.#connect();
    }, this.#of.pauseMs).unref();
  }
}
