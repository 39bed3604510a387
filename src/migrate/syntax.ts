// oxc-parser and magic-string, optional peers, loaded at the first rule that reads a source.

import type MagicString from "magic-string";
import type { OxcError, ParserOptions, Program } from "oxc-parser";

import { MigrationError } from "./rule.js";

export interface Syntax {
  /** By the type of a node, its members that are nodes. */
  readonly visitorKeys: Readonly<Record<string, readonly string[]>>;
  /** The module, or why there is none. The text has no byte order mark: the parser knows no `#!` behind one. */
  readonly parse: (file: string, text: string) => Program | SyntaxFailure;
  readonly edited: (text: string) => MagicString;
}

interface SyntaxFailure {
  readonly at: number;
  readonly message: string;
}

export async function loadSyntax(): Promise<Syntax> {
  try {
    const { parseSync, visitorKeys } = await import("oxc-parser");
    const { default: Text } = await import("magic-string");
    const tried = (file: string, text: string, sourceType: "module" | "commonjs") =>
      parseSync(file, text, { lang: langOf(file), sourceType, astType: "ts", preserveParens: false });
    return {
      visitorKeys,
      edited: (text) => new Text(text),
      parse(file, text) {
        const result = tried(file, text, "module");
        const [error] = result.errors;
        if (error === undefined) return result.program;
        // A script may return at its top level.
        const script = tried(file, text, "commonjs");
        return script.errors.length === 0 ? script.program : failureOf(error);
      },
    };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MigrationError(
      'Rules of imports need the packages oxc-parser and magic-string: run "npm install --save-dev oxc-parser@0.158.0 magic-string@1.4.5"',
    );
  }
}

const failureOf = ({ labels, message }: OxcError): SyntaxFailure => ({ at: labels[0]?.start ?? 0, message });

function langOf(file: string): NonNullable<ParserOptions["lang"]> {
  if (/\.d\.[cm]?ts$/.test(file)) return "dts";
  if (file.endsWith(".tsx")) return "tsx";
  return /\.[cm]?ts$/.test(file) ? "ts" : "jsx";
}
