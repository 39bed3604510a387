// A bookshop's ledger as CSV: a hundred thousand rows that are never all in memory.

import { Axon, busKey, Framework, respond } from "framework";

export interface Sale {
  readonly isbn: string;
  readonly title: string;
  readonly cents: number;
}

/** What a database driver's cursor is: pages of rows, each asked for when it is wanted. */
export interface Sales {
  page(after: number, signal: AbortSignal): Promise<readonly Sale[]>;
}

const Sales = busKey<Sales>()("Sales");

/** A text in quotes where it needs them (RFC 4180). */
const field = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const line = ({ isbn, title, cents }: Sale) => `${isbn},${field(title)},${(cents / 100).toFixed(2)}\r\n`;

/** One page is in memory at a time: the next one is asked for when the client has taken it. */
async function* rows(sales: Sales, signal: AbortSignal) {
  yield "isbn,title,price\r\n";
  for (let taken = 0; ; ) {
    const page = await sales.page(taken, signal);
    if (page.length === 0) return;
    yield page.map(line).join("");
    taken += page.length;
  }
}

/** The generator runs when the run is over: what it needs of the Bus is taken before. */
const download = Axon.start("download").thenFn("rows", { uses: { sales: Sales } }, (_, bus) =>
  respond({
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="sales.csv"',
    },
    body: rows(bus.sales, bus.signal),
  }),
);

export const ledger = () => Framework.http({ resources: [Sales] }).get("/sales.csv", download);
