// What a program takes, by name, from an object that is a module: a namespace import, or what
// `require` and `import()` return.

import type { Node } from "oxc-parser";

import type { NodeOf, Scopes } from "./scopes.js";

type Property = NodeOf<"Property">;

export type Access =
  /** `ns.name`, `ns["name"]`, `ns.Type`, `<ns.Name>` */
  | { readonly kind: "member"; readonly name: string; readonly at: Node; readonly whole: Node }
  /** `const { name } = ns` */
  | { readonly kind: "key"; readonly name: string; readonly at: Node; readonly whole: Property };

export interface Accesses {
  readonly list: readonly Access[];
  /** Whether the object is used as a whole too. */
  readonly isWhole: boolean;
}

/** The accesses through the names that are declared at these identifiers, or by these expressions. */
export function accessesOf(values: readonly Node[], declared: readonly Node[], scopes: Scopes): Accesses {
  const found = new Found(scopes);
  for (const value of values) found.value(value);
  for (const name of declared) found.pattern(name);
  return found;
}

class Found implements Accesses {
  readonly list: Access[] = [];
  isWhole = false;
  readonly #scopes: Scopes;

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  /** The node has the module. */
  value(node: Node): void {
    const parent = node.parent;
    if (!parent || parent.type === "ExpressionStatement") return;
    if (PASSING.has(parent.type)) this.value(parent);
    else if (parent.type === "MemberExpression" && parent.object === node) this.#member(parent);
    else if (parent.type === "TSQualifiedName") this.#add("member", parent.right.name, parent.right, parent);
    else if (parent.type === "JSXMemberExpression")
      this.#add("member", parent.property.name, parent.property, parent);
    else if (parent.type === "VariableDeclarator") this.pattern(parent.id);
    else if (parent.type === "AssignmentExpression" && parent.left.type === "ObjectPattern")
      this.pattern(parent.left);
    else this.isWhole = true;
  }

  /** What the pattern declares has the module. */
  pattern(node: Node): void {
    if (node.type === "Identifier")
      for (const reference of this.#scopes.referencesTo(node)) this.value(reference);
    else if (node.type === "ObjectPattern") for (const property of node.properties) this.#key(property);
    else this.isWhole = true;
  }

  #member(node: NodeOf<"MemberExpression">): void {
    const name = namedBy(node.property, node.computed);
    if (name === "then") this.#then(node);
    else if (name !== undefined) this.#add("member", name, node.property, node);
    else this.isWhole = true;
  }

  /** `import("module").then((ns) => ...)` */
  #then(node: Node): void {
    const call = node.parent;
    const callback = call?.type === "CallExpression" && call.callee === node ? call.arguments[0] : undefined;
    const isFunction =
      callback?.type === "ArrowFunctionExpression" || callback?.type === "FunctionExpression";
    const [parameter] = isFunction ? callback.params : [];
    if (parameter === undefined) this.isWhole = true;
    else this.pattern(parameter);
  }

  #key(property: Node): void {
    const name = property.type === "Property" ? namedBy(property.key, property.computed) : undefined;
    if (name === undefined) this.isWhole = true;
    else this.#add("key", name, (property as Property).key, property);
  }

  #add(kind: Access["kind"], name: string, at: Node, whole: Node): void {
    this.list.push({ kind, name, at, whole } as Access);
  }
}

/** What gives its value on. */
const PASSING = new Set<Node["type"]>([
  "AwaitExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
]);

function namedBy(key: Node, isComputed: boolean): string | undefined {
  if (key.type === "Literal" && typeof key.value === "string") return key.value;
  return key.type === "Identifier" && !isComputed ? key.name : undefined;
}
