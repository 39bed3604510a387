// A list of server data: filters, problem and table. The last response stays visible when the next
// request fails.

import type { ComponentChildren } from "preact";

import type { Resource } from "../../client/resource.js";
import { place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { Empty, Loading, Wrong } from "../notice.js";
import { type Filter, Filters, isNarrowed } from "./filters.js";
import { Table, type TableProps } from "./table.js";

export interface ListProps<R> extends TableProps<R> {
  readonly asked: Pick<Resource<unknown>, "value" | "problem" | "reload">;
  /** Name of the loading data: "the runs". */
  readonly what: string;
  /** Shown if filters leave out all rows. Default: `empty`. */
  readonly noneFits?: { readonly title: string; readonly remedy?: string };
  /** Default: none. */
  readonly filters?: readonly Filter[];
  /** Heading; with one, the list is a whole view. */
  readonly title?: string;
  /** In the heading line, before the filters. */
  readonly which?: ComponentChildren;
  /** In the heading line, after the filters. */
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
