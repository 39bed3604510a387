// Renames modules and their exports where a source takes them: imports, re-exports,
// `require`, `import()`, types of imports, and declarations that add to a module.
//
//   MG3. Nothing but the names of modules and exports is written, and uses of a renamed local name.
//   MG4. A local name stays, by an alias, where the new one is in the file already.

import type { Node } from "oxc-parser";

import { rewriteDeclaration } from "./import-declaration.js";
import { homeOf, ImportMap, type Target } from "./import-map.js";
import { accessesOf } from "./module-accesses.js";
import { ModuleText } from "./module-text.js";
import { type Applied, type ImportRule, LeftAlone, type Note } from "./rule.js";
import { type NodeOf, scopesOf } from "./scopes.js";
import type { Syntax } from "./syntax.js";
import { placeIn } from "./text-place.js";

export function renameImports(
  file: string,
  text: string,
  rules: readonly ImportRule[],
  syntax: Syntax,
): Applied {
  // To parse a source takes a hundred times as long as to look for names in it.
  if (!rules.some((rule) => mayConcern(rule, text))) return { text, notes: [] };
  const program = syntax.parse(file, text);
  if ("message" in program)
    throw new LeftAlone(`it does not parse: ${program.message} (line ${placeIn(text, program.at).line})`);
  const notes: Note[] = [];
  const module = new ModuleText(text, syntax.edited(text), scopesOf(program, syntax.visitorKeys));
  const renaming = new Renaming(module, new ImportMap(rules, notes), notes);
  for (const node of module.scopes.nodes) renaming.node(node);
  return { text: module.edited.toString(), notes: notes.sort((a, b) => a.at - b.at) };
}

const mayConcern = ({ fromModule, fromName }: ImportRule, text: string): boolean =>
  text.includes(fromModule) && (fromName === undefined || fromName === "default" || text.includes(fromName));

/** Calls whose first argument is a module: `require`, `require.resolve`, `vi.mock` and their like. */
const CALLEE = /^(?:require(?:\.resolve)?|import\.meta\.resolve|(?:jest|vi)\.\w+)$/;

class Renaming {
  readonly #text: ModuleText;
  readonly #map: ImportMap;
  readonly #notes: Note[];

  constructor(text: ModuleText, map: ImportMap, notes: Note[]) {
    this.#text = text;
    this.#map = map;
    this.#notes = notes;
  }

  node(node: Node): void {
    if (node.type === "ImportExpression") this.#object(node.source, node);
    else if (node.type === "CallExpression") {
      if (CALLEE.test(this.#text.slice(node.callee))) this.#object(node.arguments[0], node);
    } else if (node.type === "TSImportEqualsDeclaration") {
      const { moduleReference, id } = node;
      if (moduleReference.type === "TSExternalModuleReference")
        this.#object(moduleReference.expression, undefined, id);
    } else if (node.type === "TSModuleDeclaration") {
      if (this.#concerns(node.id)) this.#augmentation(node.id, node);
    } else if ("source" in node && node.source !== null && this.#concerns(node.source)) this.#from(node);
  }

  #from(node: Node): void {
    if (node.type === "ExportAllDeclaration") this.#exportAll(node);
    else if (node.type === "TSImportType") this.#importType(node);
    else if (node.type === "ImportDeclaration" || node.type === "ExportNamedDeclaration")
      rewriteDeclaration(node, this.#text, this.#map, (at, message) => this.#note(at, message));
  }

  #concerns(source: Node): boolean {
    return this.#map.concerns(moduleIn(source) ?? "");
  }

  #exportAll(node: NodeOf<"ExportAllDeclaration">): void {
    const { value } = node.source;
    this.#text.writeQuoted(node.source, this.#map.module(value, node.start));
    if (this.#map.hasNames(value))
      this.#note(
        node,
        `this exports all of '${value}', and rules rename exports of it: look at what imports this file`,
      );
  }

  /** An expression or a declared name that is the module. */
  #object(source: Node | undefined, value: Node | undefined, declared?: Node): void {
    const module = source && moduleIn(source);
    if (source === undefined || module === undefined || !this.#map.concerns(module)) return;
    const { list, isWhole } = accessesOf(
      value === undefined ? [] : [value],
      declared === undefined ? [] : [declared],
      this.#text.scopes,
    );
    const present = this.#map.module(module, source.start);
    const targets = list.map(({ name, at }) => this.#map.name(module, name, at.start));
    const home = isWhole ? present : homeOf(present, targets);
    this.#text.writeQuoted(source, home);
    list.forEach((access, i) => {
      const target = targets[i] as Target;
      if (target.module === home) this.#text.writeAccess(access, target.name);
      else
        this.#note(
          access.at,
          `'${access.name}' is '${target.name}' of '${target.module}' now, and this takes it from '${home}': import it from there`,
        );
    });
  }

  #importType(node: NodeOf<"TSImportType">): void {
    const { value } = node.source;
    let first: Node | null = node.qualifier;
    while (first?.type === "TSQualifiedName") first = first.left;
    const module = this.#map.module(value, node.start);
    const target = first?.type === "Identifier" && this.#map.name(value, first.name, first.start);
    this.#text.writeQuoted(node.source, target ? target.module : module);
    if (first && target) this.#text.write(first, target.name);
  }

  /** `declare module "module" { interface Name { ... } }` */
  #augmentation(source: Node, node: NodeOf<"TSModuleDeclaration">): void {
    const module = moduleIn(source) as string;
    const declared = (node.body?.body ?? []).map(declaredIn).filter((id) => id !== undefined);
    const present = this.#map.module(module, source.start);
    const targets = declared.map((id) => this.#map.name(module, id.name, id.start));
    const home = homeOf(present, targets);
    this.#text.writeQuoted(source, home);
    declared.forEach((id, i) => {
      const { module: to, name } = targets[i] as Target;
      if (to !== home) this.#note(id, `'${id.name}' is '${name}' of '${to}' now: declare it there`);
      else if (name !== id.name)
        this.#text.renameReferences([id, ...this.#text.scopes.referencesTo(id)], name);
    });
  }

  #note({ start }: Node, message: string): void {
    this.#notes.push({ at: start, message });
  }
}

/** The name of a module in a literal; undefined for an expression. */
function moduleIn(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

type Identifier = NodeOf<"Identifier">;

function declaredIn(statement: Node): Identifier | undefined {
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const id = declaration !== null && "id" in declaration ? (declaration.id as Node | null) : undefined;
  return id?.type === "Identifier" ? id : undefined;
}
