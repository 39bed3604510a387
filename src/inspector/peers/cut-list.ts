import { type TSchema, Type } from "@sinclair/typebox";

/** The part of a list that one process sends, and whether it is cut to fit the bound of a message. */
export interface CutList<T> {
  readonly rows: readonly T[];
  readonly isCut: boolean;
}

export const cutListOf = <S extends TSchema>(row: S) =>
  Type.Object({ rows: Type.Array(row), isCut: Type.Boolean() });

export const whole = <T>(rows: readonly T[]): CutList<T> => ({ rows, isCut: false });

/** The first half of the list; undefined if it is empty. */
export function halved<T>({ rows }: CutList<T>): CutList<T> | undefined {
  const half = Math.floor(rows.length / 2);
  return half === 0 ? undefined : { rows: rows.slice(0, half), isCut: true };
}

/** Number of cut lists. */
export const cutOnes = (given: readonly { readonly isCut: boolean }[]): number =>
  given.filter(({ isCut }) => isCut).length;
