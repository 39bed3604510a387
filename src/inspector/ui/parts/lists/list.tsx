// A list of what the server was asked for: what narrows it, what is wrong with it, and its
// table. The last answer stays in sight when the newest question fails.

import type { ComponentChildren } from "preact";

import type { Resource } from "../../client/resource.js";
import { place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { Empty, Loading, Wrong } from "../notice.js";
import { type Filter, Filters, isNarrowed } from "./filters.js";
import { Table, type TableProps } from "./table.js";

export interface ListProps<R> extends TableProps<R> {
  readonly asked: Pick<Resource<unknown>, "value" | "problem" | "reload">;
  /** What loads: "the runs". */
  readonly what: string;
  /** In the place of rows that filters leave out. Default: `empty`. */
  readonly noneFits?: { readonly title: string; readonly remedy?: string };
  /** Default: none. */
  readonly filters?: readonly Filter[];
  /** With one it is a view, whose heading this is. */
  readonly title?: string;
  /** In the line of the heading, before the filters. */
  readonly which?: ComponentChildren;
  /** In the line of the heading, behind them. */
  readonly counts?: ComponentChildren;
  /** Between the heading and the table. */
  readonly children?: ComponentChildren;
}

export function List<R>(props: ListProps<R>) {
  const { asked, what, noneFits, filters = [], title, which, counts, children, ...table } = props;
  const here = useStore(place);
  const { value, problem, reload } = asked;
  const isFiltered = noneFits !== undefined && isNarrowed(filters, here);
  const none = isFiltered ? <Empty title={noneFits.title}>{noneFits.remedy}</Empty> : table.empty;
  return (
    <>
      {title !== undefined && (
        <div class="head">
          <h1>{title}</h1>
          {which}
          {filters.length > 0 && <Filters of={filters} />}
          {counts}
        </div>
      )}
      {children}
      {problem !== undefined && <Wrong problem={problem} onAgain={reload} />}
      {(value !== undefined || problem === undefined || table.rows.length > 0) && (
        <Table {...table} empty={value === undefined ? <Loading what={what} /> : none} />
      )}
    </>
  );
}
