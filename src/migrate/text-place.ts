export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Line and column of an offset, from 1 on. */
export function placeIn(text: string, at: number): TextPlace {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
