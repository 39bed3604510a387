// The text of a module while its imports are renamed.

import type MagicString from "magic-string";
import type { Node } from "oxc-parser";

import type { Access } from "./module-accesses.js";
import type { Named, Scopes } from "./scopes.js";

/** Names that no declaration may have, in a module. */
const RESERVED = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export
  extends false finally for function if implements import in instanceof interface let new null package
  private protected public return static super switch this throw true try typeof undefined var void while
  with yield`.split(/\s+/),
);

export class ModuleText {
  readonly source: string;
  readonly edited: MagicString;
  readonly scopes: Scopes;
  /** Local names that this edit has given. */
  readonly #given = new Set<string>();

  constructor(source: string, edited: MagicString, scopes: Scopes) {
    this.source = source;
    this.edited = edited;
    this.scopes = scopes;
  }

  slice({ start, end }: Node): string {
    return this.source.slice(start, end);
  }

  write({ start, end }: Node, text: string): void {
    if (this.source.slice(start, end) !== text) this.edited.update(start, end, text);
  }

  /** Writes another text between the quotes of a literal. */
  writeQuoted(node: Node, text: string): void {
    const quote = this.source[node.start] as string;
    this.write(node, `${quote}${text.replace(/[\\'"`]/g, "\\$&")}${quote}`);
  }

  remove(start: number, end: number): void {
    if (start < end) this.edited.remove(start, end);
  }

  insertAfter({ end }: Node, text: string): void {
    this.edited.appendLeft(end, text);
  }

  get lineEnd(): string {
    return this.source.includes("\r\n") ? "\r\n" : "\n";
  }

  writeAccess({ kind, at, whole, name }: Access, to: string): void {
    if (name === to) return;
    if (kind === "key" && whole.shorthand) this.edited.appendLeft(at.start, `${to}: `);
    else if (at.type === "Literal") this.writeQuoted(at, to);
    else this.write(at, to);
  }

  /**
   * Gives a local name to what is named by `references`, unless the file has the name already: it
   * could be hidden where it is used, or hide another one.
   */
  takeName(name: string, references: readonly Named[]): boolean {
    if (RESERVED.has(name) || this.scopes.names.has(name) || this.#given.has(name)) return false;
    const isElement = references.some(({ type }) => type === "JSXIdentifier");
    if (isElement && /^\p{Ll}/u.test(name)) return false;
    this.#given.add(name);
    return true;
  }

  renameReferences(references: readonly Named[], name: string): void {
    for (const reference of references) this.#renameReference(reference, name);
  }

  #renameReference(reference: Named, name: string): void {
    const parent = reference.parent;
    if (parent?.type === "Property" && parent.shorthand) this.write(reference, `${reference.name}: ${name}`);
    else if (parent?.type === "ExportSpecifier" && parent.exported.start === reference.start)
      this.write(reference, `${name} as ${reference.name}`);
    else this.write(reference, name);
  }
}
