import type { AuditCheckpoints, KeptCheckpoint } from "#core/ports/audit-sink.js";

export class MemoryCheckpoints implements AuditCheckpoints {
  readonly #kept: KeptCheckpoint[] = [];

  readonly put = async (checkpoint: KeptCheckpoint): Promise<boolean> => {
    if (this.#kept.some(({ number }) => number === checkpoint.number)) return false;
    this.#kept.push(checkpoint);
    return true;
  };

  readonly newest = async (): Promise<KeptCheckpoint | undefined> => this.#kept.at(-1);

  readonly list = async (after: number, limit: number): Promise<readonly KeptCheckpoint[]> =>
    this.#kept.filter(({ number }) => number > after).slice(0, limit);
}
