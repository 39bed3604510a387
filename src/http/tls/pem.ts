// The blocks of a PEM file (RFC 7468). What stands between them is commentary, as openssl
// writes it.

/** A block with its label, such as "CERTIFICATE". */
export interface PemBlock {
  readonly label: string;
  /** With its first and its last line. */
  readonly text: string;
  /** Of its first line, from 1. */
  readonly line: number;
}

/** What is wrong with it where it is no PEM. */
export type PemReading =
  | { readonly kind: "blocks"; readonly blocks: readonly PemBlock[] }
  | { readonly kind: "malformed"; readonly problem: string };

const BEGIN = /^-----BEGIN ([A-Z0-9 ]+)-----\s*$/;
const END = /^-----END ([A-Z0-9 ]+)-----\s*$/;

export function readPem(text: string): PemReading {
  if (text.startsWith("\uFEFF"))
    return malformed("it begins with a byte order mark, which the engine refuses");
  const blocks: PemBlock[] = [];
  let open: { readonly label: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const [, begun] = BEGIN.exec(line) ?? [];
    const [, ended] = END.exec(line) ?? [];
    open?.lines.push(line.trimEnd());
    if (begun !== undefined) {
      if (open !== undefined) return unended(open);
      open = { label: begun, line: at + 1, lines: [line.trimEnd()] };
    } else if (ended !== undefined) {
      if (open?.label !== ended) return malformed(`"END ${ended}" in line ${at + 1} ends nothing`);
      blocks.push({ label: open.label, line: open.line, text: `${open.lines.join("\n")}\n` });
      open = undefined;
    }
  }
  return open === undefined ? { kind: "blocks", blocks } : unended(open);
}

const unended = ({ label, line }: Pick<PemBlock, "label" | "line">): PemReading =>
  malformed(`"BEGIN ${label}" in line ${line} has no end: the file is cut short`);

const malformed = (problem: string): PemReading => ({ kind: "malformed", problem });
