import { type TSchema, Type } from "@sinclair/typebox";

/** What a process has of a list, and whether that is all: an answer has a bound. */
export interface CutList<T> {
  readonly rows: readonly T[];
  readonly isCut: boolean;
}

export const cutListOf = <S extends TSchema>(row: S) =>
  Type.Object({ rows: Type.Array(row), isCut: Type.Boolean() });

export const whole = <T>(rows: readonly T[]): CutList<T> => ({ rows, isCut: false });

/** Its first half; undefined where there is none. */
export function halved<T>({ rows }: CutList<T>): CutList<T> | undefined {
  const half = Math.floor(rows.length / 2);
  return half === 0 ? undefined : { rows: rows.slice(0, half), isCut: true };
}

/** How many have more than they say. */
export const cutOnes = (given: readonly { readonly isCut: boolean }[]): number =>
  given.filter(({ isCut }) => isCut).length;
