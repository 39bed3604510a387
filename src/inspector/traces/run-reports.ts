// Lines of the framework's own reports, kept with the run of their request. A report is written
// while the run is under way, or as its response is sent.

import { type KeptLine, type KeptTrace, keptLine } from "./kept-trace.js";

/** Lines that wait for the end of their run. */
const MAX_WAITING = 100;
/** Added to one run. */
const MAX_LINES = 10;

interface Waiting {
  readonly requestId: string;
  readonly line: KeptLine;
}

export class RunReports {
  #waiting: Waiting[] = [];
  /** The run whose response was sent last: its reports follow. */
  #answered: KeptTrace | undefined;

  /** `unanswered`: ended runs whose responses are not sent. */
  read(text: string, shown: (line: KeptLine) => KeptLine, unanswered: Iterable<KeptTrace>): void {
    const line = keptLine(text);
    if (line === undefined) return;
    const { request_id: requestId } = JSON.parse(text) as { readonly request_id?: string };
    if (requestId === undefined) return;
    const kept = this.#find(requestId, unanswered);
    if (kept !== undefined) add(kept, [shown(line)]);
    else this.#waiting = [...this.#waiting.slice(1 - MAX_WAITING), { requestId, line: shown(line) }];
  }

  /** The run has ended, and is kept. */
  ended(kept: KeptTrace): void {
    if (this.#waiting.length === 0) return;
    const id = kept.request?.request_id;
    const own = this.#waiting.filter(({ requestId }) => requestId === id);
    if (own.length === 0) return;
    this.#waiting = this.#waiting.filter(({ requestId }) => requestId !== id);
    add(
      kept,
      own.map(({ line }) => line),
    );
  }

  answered(kept: KeptTrace): void {
    this.#answered = kept;
  }

  /** A trace is written again for another run. */
  forget(kept: KeptTrace): void {
    if (this.#answered === kept) this.#answered = undefined;
  }

  #find(requestId: string, unanswered: Iterable<KeptTrace>): KeptTrace | undefined {
    if (this.#answered?.request?.request_id === requestId) return this.#answered;
    for (const kept of unanswered) if (kept.request?.request_id === requestId) return kept;
    return undefined;
  }
}

function add(kept: KeptTrace, lines: readonly KeptLine[]): void {
  kept.lines = [...kept.lines, ...lines.slice(0, MAX_LINES)];
}
