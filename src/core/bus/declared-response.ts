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

type Titles = Readonly<Record<string, { readonly status: number; readonly title: string }>>;

/** The rows of a table of codes. */
export const declaredOf = <T extends Titles>(
  table: T,
  ...codes: readonly (keyof T & string)[]
): readonly DeclaredResponse[] => codes.map((code) => ({ code, ...(table[code] as Titles[string]) }));
