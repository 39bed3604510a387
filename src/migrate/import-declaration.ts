// Rewrites `import ... from` and `export ... from`. What is in another module after rules gets
// a declaration of its own behind the first one.

import type { Node } from "oxc-parser";

import { homeOf, type ImportMap, type Target } from "./import-map.js";
import { type Access, accessesOf } from "./module-accesses.js";
import type { ModuleText } from "./module-text.js";
import type { NodeOf } from "./scopes.js";

type Import = NodeOf<"ImportDeclaration">;
type Export = NodeOf<"ExportNamedDeclaration">;
/** With a source. */
export type Declaration = Import | Export;
type Listed = NodeOf<"ImportSpecifier" | "ExportSpecifier">;
type Default = NodeOf<"ImportDefaultSpecifier">;

/** A specifier, and where what it takes is after rules. */
interface Taken<Specifier extends Listed | Default = Listed | Default> {
  readonly node: Specifier;
  readonly target: Target;
}

type NoteAt = (at: Node, message: string) => void;

export function rewriteDeclaration(node: Declaration, text: ModuleText, map: ImportMap, note: NoteAt): void {
  new Rewrite(node, text, map, note).run();
}

class Rewrite {
  readonly #node: Declaration;
  readonly #text: ModuleText;
  readonly #map: ImportMap;
  readonly #note: NoteAt;
  readonly #source: NodeOf<"Literal">;
  readonly #module: string;
  /** The specifiers of new declarations, by their modules. */
  readonly #added = new Map<string, string[]>();

  constructor(node: Declaration, text: ModuleText, map: ImportMap, note: NoteAt) {
    this.#node = node;
    this.#text = text;
    this.#map = map;
    this.#note = note;
    this.#source = node.source as NodeOf<"Literal">;
    this.#module = this.#source.value as string;
  }

  run(): void {
    const specifiers: readonly Node[] = this.#node.specifiers;
    const present = this.#map.module(this.#module, this.#node.start);
    const namespace = specifiers.find((node) => node.type === "ImportNamespaceSpecifier");
    const taken = specifiers.flatMap((node) => this.#taken(node));
    const home =
      namespace === undefined
        ? homeOf(
            present,
            taken.map(({ target }) => target),
          )
        : this.#rewriteAccesses(namespace.local, present);
    this.#text.writeQuoted(this.#source, home);
    // A default that is a name now cannot stand beside a namespace.
    const leaves = ({ node, target }: Taken): boolean =>
      target.module !== home || (namespace !== undefined && isDefault(node) && target.name !== "default");
    this.#rewriteSpecifiers(taken, leaves, namespace);
    for (const [module, added] of this.#added) this.#add(module, added);
  }

  #taken(node: Node): readonly Taken[] {
    if (!isDefault(node) && !isListed(node)) return [];
    const name = isDefault(node) ? "default" : nameIn(outerOf(node));
    return [{ node, target: this.#map.name(this.#module, name, node.start) }];
  }

  #rewriteSpecifiers(
    taken: readonly Taken[],
    leaves: (one: Taken) => boolean,
    namespace: Node | undefined,
  ): void {
    const listed = taken.filter((one): one is Taken<Listed> => isListed(one.node));
    for (const one of taken)
      if (leaves(one)) this.#move(one);
      else if (isListed(one.node)) this.#rename(one as Taken<Listed>);
    this.#removeListed(listed, leaves);
    const first = taken.find((one): one is Taken<Default> => isDefault(one.node));
    if (first !== undefined) this.#rewriteDefault(first, listed, leaves, namespace);
  }

  #rewriteDefault(
    first: Taken<Default>,
    listed: readonly Taken<Listed>[],
    leaves: (one: Taken) => boolean,
    namespace: Node | undefined,
  ): void {
    const { node, target } = first;
    const start = listed[0]?.node.start;
    const opening = start && this.#text.source.lastIndexOf("{", start);
    const specifier = spelled(target.name, node.local.name);
    if (leaves(first)) this.#text.remove(node.start, opening ?? (namespace as Node).start);
    else if (target.name === "default") {
      const last = listed.every(leaves) ? listed.at(-1) : undefined;
      if (last !== undefined) this.#text.remove(node.end, this.#text.source.indexOf("}", last.node.end) + 1);
    } else if (start === undefined || opening === undefined) this.#text.write(node, `{ ${specifier} }`);
    else {
      this.#text.remove(node.start, opening);
      this.#text.edited.appendLeft(start, listed.every(leaves) ? specifier : `${specifier}, `);
    }
  }

  /** In the list, the new name; its uses too, where the file does not have that name. */
  #rename({ node, target }: Taken<Listed>): void {
    const [outer, inner] = [outerOf(node), innerOf(node)];
    if (target.name === nameIn(outer)) return;
    const isAliased = outer.start !== inner.start;
    const local = this.#localName({ node, target });
    if (!isAliased) this.#text.write(outer, spelled(target.name, local));
    else if (target.name !== local) this.#text.write(outer, target.name);
    else this.#text.edited.update(outer.start, inner.end, local);
  }

  /** The name that the specifier has for this file, or for those that import it. */
  #localName({ node, target }: Taken): string {
    if (isDefault(node)) return node.local.name;
    const [outer, inner] = [outerOf(node), innerOf(node)];
    const isKept =
      node.type === "ExportSpecifier" ||
      outer.start !== inner.start ||
      target.name === nameIn(outer) ||
      // A pragma may name what JSX becomes.
      this.#text.source.includes("@jsx");
    if (isKept) return this.#text.slice(inner);
    const references = this.#text.scopes.referencesTo(inner);
    if (!this.#text.takeName(target.name, references)) return nameIn(inner);
    this.#text.renameReferences(references, target.name);
    return target.name;
  }

  #move(taken: Taken): void {
    const { node, target } = taken;
    const kind =
      node.type === "ImportSpecifier" ? node.importKind : node.type === "ExportSpecifier" && node.exportKind;
    this.#push(
      target.module,
      `${kind === "type" ? "type " : ""}${spelled(target.name, this.#localName(taken))}`,
    );
  }

  #push(module: string, specifier: string): void {
    this.#added.set(module, [...(this.#added.get(module) ?? []), specifier]);
  }

  /** Removes the specifiers that leave. Comments between specifiers stay. */
  #removeListed(listed: readonly Taken<Listed>[], leaves: (one: Taken) => boolean): void {
    const { source } = this.#text;
    const kept = listed.findLast((one) => !leaves(one))?.node;
    listed.forEach(({ node }, i) => {
      if (!leaves(listed[i] as Taken)) return;
      const next = listed[i + 1]?.node;
      if (next !== undefined && !hasComment(source.slice(node.end, next.start)))
        this.#text.remove(node.start, next.start);
      else if (next === undefined && kept !== undefined && !hasComment(source.slice(kept.end, node.start)))
        this.#text.remove(kept.end, node.end);
      else {
        const end = next?.start ?? source.indexOf("}", node.end);
        const comma = node.end + source.slice(node.end, end).replace(COMMENT, blanked).indexOf(",");
        this.#text.remove(node.start, node.end);
        if (comma >= node.end) this.#text.remove(comma, comma + 1);
      }
    });
  }

  /** Rewrites what is taken by `namespace.name`. Returns the module that the namespace is now. */
  #rewriteAccesses(local: Node, present: string): string {
    const { list, isWhole } = accessesOf([], [local], this.#text.scopes);
    const targets = list.map(({ name, at }) => this.#map.name(this.#module, name, at.start));
    const home = isWhole ? present : homeOf(present, targets);
    const locals = new Map<string, string>();
    list.forEach((access, i) => {
      const target = targets[i] as Target;
      if (target.module === home) {
        this.#text.writeAccess(access, target.name);
        return;
      }
      const id = JSON.stringify([target.module, target.name]);
      const name = locals.get(id) ?? this.#accessName(target, list, targets);
      if (name === undefined) {
        this.#note(
          access.at,
          `'${access.name}' is '${target.name}' of '${target.module}' now: import it from there`,
        );
        return;
      }
      locals.set(id, name);
      this.#text.write(access.whole, name);
    });
    return home;
  }

  /** A local name for what is in another module now, which gets an import; undefined where there is none. */
  #accessName(target: Target, list: readonly Access[], targets: readonly Target[]): string | undefined {
    const same = list.filter(
      (_, i) => targets[i]?.module === target.module && targets[i]?.name === target.name,
    );
    if (same.some(({ kind }) => kind === "key")) return undefined;
    const elements = same.flatMap(({ at }) => (at.type === "JSXIdentifier" ? [at] : []));
    const wanted =
      elements.length === 0 ? target.name : target.name.replace(/^./u, (first) => first.toUpperCase());
    let name = wanted;
    for (let i = 2; !this.#text.takeName(name, elements); i += 1) name = `${wanted}${i}`;
    const isType = !isTypeOnly(this.#node) && same.every(({ whole }) => this.#isType(whole));
    this.#push(target.module, `${isType ? "type " : ""}${spelled(target.name, name)}`);
    return name;
  }

  #isType(node: Node): boolean {
    const parent = node.parent?.type;
    return (
      node.type === "TSQualifiedName" || parent === "TSInterfaceHeritage" || parent === "TSClassImplements"
    );
  }

  #add(module: string, specifiers: readonly string[]): void {
    const keyword = this.#node.type === "ImportDeclaration" ? "import" : "export";
    const kind = isTypeOnly(this.#node) ? " type" : "";
    const quote = this.#text.source[this.#source.start] as string;
    // Attributes and the semicolon, or none.
    const rest = this.#text.source.slice(this.#source.end, this.#node.end);
    const from = `${quote}${module}${quote}${rest}`;
    this.#text.insertAfter(
      this.#node,
      `${this.#text.lineEnd}${keyword}${kind} { ${specifiers.join(", ")} } from ${from}`,
    );
  }
}

const hasComment = (text: string): boolean => /\/[/*]/.test(text);

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

const blanked = (text: string): string => " ".repeat(text.length);

const isDefault = (node: Node): node is Default => node.type === "ImportDefaultSpecifier";

const isListed = (node: Node): node is Listed =>
  node.type === "ImportSpecifier" || node.type === "ExportSpecifier";

const isTypeOnly = (node: Declaration): boolean =>
  (node.type === "ImportDeclaration" ? node.importKind : node.exportKind) === "type";

/** What the module calls it. */
const outerOf = (node: Listed): Node => (node.type === "ImportSpecifier" ? node.imported : node.local);

/** What this file calls it, or exports it as. */
const innerOf = (node: Listed): Node => (node.type === "ImportSpecifier" ? node.local : node.exported);

const nameIn = (node: Node): string =>
  node.type === "Identifier" ? node.name : String((node as NodeOf<"Literal">).value);

const spelled = (outer: string, inner: string): string => (outer === inner ? outer : `${outer} as ${inner}`);
