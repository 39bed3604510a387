/**
 * A response that a step, guard or layer can cause beside the plain one. With a `code` it is a problem
 * document: a ProblemDetail, or the fields that one is made of.
 */
export interface DeclaredResponse {
  /** 200 to 599. */
  readonly status: number;
  readonly code?: string;
  readonly title?: string;
  /** Names of headers that this response has, in lower case. */
  readonly headers?: readonly string[];
}
