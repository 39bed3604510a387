// Responses that a step, guard or layer declares: for documentation, clients and fuzzing.

/**
 * A response that a step, guard or layer can cause beside its normal one: a reply with another
 * status or, with a `code`, a problem document. A ProblemDetail and its fields are valid too.
 */
export interface DeclaredResponse {
  /** 200 to 599. */
  readonly status: number;
  readonly code?: string;
  readonly title?: string;
  /** Upper case; default: every method of its routes. */
  readonly methods?: readonly string[];
}

type StatusDeclared<D> = D extends { readonly code: string }
  ? never
  : D extends { readonly status: infer S extends number }
    ? S
    : never;

type Success<S extends number> = S extends number ? (`${S}` extends `2${string}` ? S : never) : never;

/** Statuses that a list declares beside those of problems: `number` if its type does not say them. */
type Declared<D extends readonly DeclaredResponse[]> = StatusDeclared<D[number]>;

/** The statuses of `S` that a list does not declare. 200 needs no declaration where it has no other success. */
export type UndeclaredStatus<S extends number, D extends readonly DeclaredResponse[]> = [S] extends [never]
  ? never
  : Exclude<S, Declared<D> | ([Success<Declared<D>>] extends [never] ? 200 : never)>;

type Titles = Readonly<Record<string, { readonly status: number; readonly title: string }>>;

/** The rows of a table of codes. */
export const declaredOf = <T extends Titles>(
  table: T,
  ...codes: readonly (keyof T & string)[]
): readonly DeclaredResponse[] => codes.map((code) => ({ code, ...(table[code] as Titles[string]) }));
