import type { RunFilter } from "#core/ports/run-store.js";
import type { SqlDialect, SqlValue } from "../sql/sql-database.js";

type Given = (value: SqlValue) => string;

/** SQL of whether a run `r` is of one of these Axons and versions. */
export function isOfAxons(
  { listed }: SqlDialect,
  axons: NonNullable<RunFilter["axons"]>,
  given: Given,
): string {
  const each = axons.map(
    ({ name, versions }) =>
      `(r.axon = ${given(name)} AND r.version IN ${listed(given(JSON.stringify(versions)))})`,
  );
  return each.length === 0 ? "1 = 0" : `(${each.join(" OR ")})`;
}

/** SQL of whether the release has not marked a run `r` as unfit. */
export const fitsRelease = (release: string, given: Given): string =>
  `(r.unfit_by IS NULL OR r.unfit_by NOT LIKE ${given(`%${release}%`)})`;
