// A result as rows of text, for the terminal and for Markdown alike.

const MORE = {
  bytes: { head: "B a run", show: (bytes) => bytes.toFixed(1) },
  requestsPerSecond: { head: "req/s", show: (n) => showFigure(n) },
  deliveriesPerSecond: { head: "deliveries/s", show: (n) => showFigure(n) },
  loopP99Ms: { head: "loop p99, ms", show: (ms) => ms.toFixed(1) },
  p50Ms: { head: "p50, ms", show: (ms) => ms.toFixed(1) },
  newP99Ms: { head: "new runs p99, ms", show: (ms) => (ms === 0 ? "" : ms.toFixed(0)) },
  heapMb: { head: "heap, MB", show: (mb) => mb.toFixed(1) },
  rssMb: { head: "resident, MB", show: (mb) => mb.toFixed(0) },
  cpu: { head: "server CPU", show: (share) => `${Math.round(share * 100)} %` },
};

/** The share of a core from which on the server, not the generator, was the limit. */
const BUSY = 0.9;

/** The head and the rows of a suite's table. */
export function cellsOf({ unit, more, rows }) {
  const extra = more.map((key) => ({ key, ...MORE[key] }));
  const head = ["arm", unit, ...extra.map((column) => column.head), "ratio", "min to max", "bar", "aim", ""];
  return [head, ...rows.map((row) => cellsOfRow(row, extra))];
}

function cellsOfRow(row, extra) {
  const { ratio } = row;
  return [
    row.arm,
    row.figure === null ? "" : showFigure(row.figure),
    ...extra.map(({ key, show }) => (row[key] === undefined ? "" : show(row[key]))),
    ratio === null ? "" : showRatio(ratio.median),
    ratio === null ? "" : `${showRatio(ratio.min)} to ${showRatio(ratio.max)}`,
    row.bar ?? "",
    row.aim === null ? "" : String(row.aim),
    row.verdict ?? "",
  ];
}

export const showRatio = (ratio) =>
  ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2);

export function showFigure(figure) {
  if (figure >= 1000) return Math.round(figure).toLocaleString("en").replaceAll(",", " ");
  return figure >= 100 ? figure.toFixed(0) : figure.toFixed(figure >= 10 ? 1 : 2);
}

/** What the ratios are, and from where on they mean something. */
export function noteOf({ better, noise, rows }) {
  const note = `Ratios are to "${rows[0].arm}", ${better} is better. The control differs from it by ${(noise * 100).toFixed(1)} % in the median round: smaller differences are noise.`;
  const idle = rows.filter(({ cpu }) => cpu < BUSY).map(({ arm }) => arm);
  if (idle.length === 0) return note;
  return `${note} The generator was the limit of ${idle.join(", ")}: a server with little to do at once does it less efficiently, so their figures are too low.`;
}

/** A suite's table for the terminal. */
export const textTable = (result) => `${result.title}\n\n${aligned(cellsOf(result))}\n\n${noteOf(result)}\n`;

/** Rows of text in columns: the first to the left, the others to the right. */
export function aligned(cells) {
  const widths = cells[0].map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  const pad = (cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]));
  return cells.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
