// Parses the blocks of a PEM file (RFC 7468). Lines outside of blocks are comments.

import { FrameworkError } from "#core/errors.js";

/** `label` is "CERTIFICATE", for example. */
export interface PemBlock {
  readonly label: string;
  /** The block, with its BEGIN and END lines. */
  readonly text: string;
  /** Number of its first line, from 1. */
  readonly line: number;
}

const BEGIN = /^-----BEGIN ([A-Z0-9 ]+)-----\s*$/;
const END = /^-----END ([A-Z0-9 ]+)-----\s*$/;

/** Throws TLS_INVALID for a malformed block. */
export function readPem(file: string, text: string): readonly PemBlock[] {
  const malformed = (problem: string): Error => tlsInvalid(file, problem, "write it again, whole");
  const unended = ({ label, line }: Pick<PemBlock, "label" | "line">): Error =>
    malformed(`"BEGIN ${label}" in line ${line} has no end: the file is cut short`);
  if (text.startsWith("\uFEFF"))
    throw malformed("it begins with a byte order mark, which the engine refuses");
  const blocks: PemBlock[] = [];
  let open: { readonly label: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const [, begun] = BEGIN.exec(line) ?? [];
    const [, ended] = END.exec(line) ?? [];
    open?.lines.push(line.trimEnd());
    if (begun !== undefined) {
      if (open !== undefined) throw unended(open);
      open = { label: begun, line: at + 1, lines: [line.trimEnd()] };
    } else if (ended !== undefined) {
      if (open?.label !== ended) throw malformed(`"END ${ended}" in line ${at + 1} ends nothing`);
      blocks.push({ label: open.label, line: open.line, text: `${open.lines.join("\n")}\n` });
      open = undefined;
    }
  }
  if (open !== undefined) throw unended(open);
  return blocks;
}

export const tlsInvalid = (file: string, problem: string, remedy: string, cause?: unknown): FrameworkError =>
  new FrameworkError("TLS_INVALID", `${file}: ${problem}; ${remedy}`, { cause });
