/** Counts calls that add a row, and begins a sweep with each hundredth from the first. */
export class SweepTurns {
  readonly #sweep: () => Promise<unknown>;
  #calls = 0;

  constructor(sweep: () => Promise<unknown>) {
    this.#sweep = sweep;
  }

  count(): void {
    // Not awaited, and a failure is not reported: a later sweep deletes these rows.
    if (this.#calls % 100 === 0) this.#sweep().catch(() => {});
    this.#calls += 1;
  }
}
