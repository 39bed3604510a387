/** A part of a text, and what stands there instead. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The edits do not overlap. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  return result + text.slice(done);
}

/** Where the line that has an offset begins. */
export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

/** Behind the end of the line that has an offset. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
