// Which declaration each identifier of a module means. Names of TypeScript have up to
// three meanings, and a declaration hides an outer one only in those that it has.
//
//   MG1. A reference is resolved after the whole module was read: declarations may follow it.
//   MG2. What is not a reference (keys of objects, members, labels, the outer names of
//        imports and exports) is never in `references`.

import type { Node } from "oxc-parser";

const VALUE = 1;
const TYPE = 2;
const NAMESPACE = 4;
const ANY = VALUE | TYPE | NAMESPACE;

/** The nodes of a type. */
export type NodeOf<Type, N = Node> = N extends { readonly type: infer Types }
  ? Type extends Types
    ? N
    : never
  : never;

/** An identifier that names a declaration, in JSX too. */
export type Named = NodeOf<"Identifier" | "JSXIdentifier">;

interface Binding {
  readonly node: Named;
  readonly meaning: number;
}

interface Reference {
  readonly node: Named;
  readonly meaning: number;
  readonly scope: Scope;
}

class Scope {
  readonly parent: Scope | undefined;
  /** Whether `var` declares here. */
  readonly isFunction: boolean;
  readonly bindings = new Map<string, Binding[]>();
  /** Blocks of one namespace share their names. */
  readonly namespaces = new Map<string, Scope>();

  constructor(parent: Scope | undefined, isFunction: boolean) {
    this.parent = parent;
    this.isFunction = isFunction;
  }

  get functionScope(): Scope {
    return this.isFunction || this.parent === undefined ? this : this.parent.functionScope;
  }

  find(name: string, meaning: number): Binding | undefined {
    const found = this.bindings.get(name)?.find((binding) => (binding.meaning & meaning) !== 0);
    return found ?? this.parent?.find(name, meaning);
  }
}

export interface Scopes {
  /** All nodes, from front to back, each with its parent. */
  readonly nodes: readonly Node[];
  /** Names that are declared or referred to anywhere. */
  readonly names: ReadonlySet<string>;
  /** The references that mean the declaration at this identifier. */
  readonly referencesTo: (declared: Node) => readonly Named[];
}

export function scopesOf(program: Node, visitorKeys: Readonly<Record<string, readonly string[]>>): Scopes {
  const walk = new Walk(visitorKeys);
  walk.link(program);
  walk.visit(program, new Scope(undefined, true));
  const byBinding = new Map<Node, Named[]>();
  for (const { node, meaning, scope } of walk.references) {
    const binding = scope.find(node.name, meaning);
    if (binding === undefined) continue;
    const known = byBinding.get(binding.node);
    if (known === undefined) byBinding.set(binding.node, [node]);
    else known.push(node);
  }
  const { nodes, names } = walk;
  return { nodes, names, referencesTo: (declared) => byBinding.get(declared) ?? [] };
}

/** What functions have in common with their types and signatures. */
interface Function {
  readonly id: Node | null;
  readonly typeParameters?: Node | null;
  readonly params: readonly Node[];
  readonly returnType?: Node | null;
  readonly body?: Node | null;
}

type Visitor<N> = (node: N, scope: Scope) => void;
type Visitors = { readonly [Type in Node["type"]]?: Visitor<NodeOf<Type>> };

const NOTHING = (): void => {};

/** Patterns whose members are patterns. */
const NESTING = new Set<Node["type"]>([
  "ObjectPattern",
  "ArrayPattern",
  "RestElement",
  "TSParameterProperty",
]);

class Walk {
  readonly #keys: Readonly<Record<string, readonly string[]>>;
  readonly nodes: Node[] = [];
  readonly names = new Set<string>();
  readonly references: Reference[] = [];

  constructor(keys: Readonly<Record<string, readonly string[]>>) {
    this.#keys = keys;
  }

  link(node: Node): void {
    this.nodes.push(node);
    this.#each(node, (child) => {
      child.parent = node;
      this.link(child);
    });
  }

  visit(node: Node | null | undefined, scope: Scope): void {
    if (node === null || node === undefined) return;
    const visitor = this.#visitors[node.type] as Visitor<Node> | undefined;
    if (visitor === undefined) this.#inside(node, scope);
    else visitor(node, scope);
  }

  readonly #visitors: Visitors = {
    Identifier: (node, scope) => this.#refer(node, VALUE, scope),
    ImportDeclaration: ({ specifiers }, scope) => {
      for (const { local } of specifiers) this.#declare(local, ANY, scope);
    },
    ExportNamedDeclaration: ({ source, specifiers, declaration }, scope) => {
      if (source !== null) return;
      for (const { local } of specifiers) this.#entity(local, ANY, scope);
      this.visit(declaration, scope);
    },
    ExportDefaultDeclaration: ({ declaration }, scope) => this.#entity(declaration, ANY, scope),
    ExportAllDeclaration: NOTHING,
    MetaProperty: NOTHING,
    BreakStatement: NOTHING,
    ContinueStatement: NOTHING,
    LabeledStatement: ({ body }, scope) => this.visit(body, scope),
    VariableDeclaration: ({ kind, declarations }, scope) => {
      const into = kind === "var" ? scope.functionScope : scope;
      for (const { id, init } of declarations) {
        this.#bind(id, into, scope);
        this.visit(init, scope);
      }
    },
    FunctionDeclaration: (node, scope) => this.#namedFunction(node, scope),
    TSDeclareFunction: (node, scope) => this.#namedFunction(node, scope),
    FunctionExpression: (node, scope) => this.#function(node, scope),
    ArrowFunctionExpression: (node, scope) => this.#function(node, scope),
    ClassDeclaration: (node, scope) => this.#class(node, scope, scope),
    ClassExpression: (node, scope) => this.#class(node, scope, new Scope(scope, false)),
    BlockStatement: (node, scope) => this.#inside(node, new Scope(scope, false)),
    ForStatement: (node, scope) => this.#inside(node, new Scope(scope, false)),
    ForInStatement: (node, scope) => this.#inside(node, new Scope(scope, false)),
    ForOfStatement: (node, scope) => this.#inside(node, new Scope(scope, false)),
    StaticBlock: (node, scope) => this.#inside(node, new Scope(scope, true)),
    SwitchStatement: ({ discriminant, cases }, scope) => {
      this.visit(discriminant, scope);
      const inner = new Scope(scope, false);
      for (const one of cases) this.visit(one, inner);
    },
    CatchClause: ({ param, body }, scope) => {
      const inner = new Scope(scope, false);
      if (param !== null) this.#bind(param, inner, inner);
      this.visit(body, inner);
    },
    MemberExpression: ({ object, property, computed }, scope) => {
      this.visit(object, scope);
      if (computed) this.visit(property, scope);
    },
    Property: (node, scope) => this.#keyed(node, scope),
    MethodDefinition: (node, scope) => this.#keyed(node, scope),
    PropertyDefinition: (node, scope) => this.#keyed(node, scope),
    AccessorProperty: (node, scope) => this.#keyed(node, scope),

    // <div> is no reference, whatever is declared.
    JSXIdentifier: (node, scope) => {
      if (!/^\p{Ll}/u.test(node.name)) this.#refer(node, VALUE, scope);
    },
    JSXMemberExpression: ({ object }, scope) => {
      if (object.type === "JSXIdentifier") this.#refer(object, VALUE, scope);
      else this.visit(object, scope);
    },
    JSXAttribute: ({ value }, scope) => this.visit(value, scope),
    JSXNamespacedName: NOTHING,

    TSEmptyBodyFunctionExpression: (node, scope) => this.#function(node, scope),
    TSFunctionType: (node, scope) => this.#function(node, scope),
    TSConstructorType: (node, scope) => this.#function(node, scope),
    TSCallSignatureDeclaration: (node, scope) => this.#function(node, scope),
    TSConstructSignatureDeclaration: (node, scope) => this.#function(node, scope),
    TSMethodSignature: (node, scope) => {
      if (node.computed) this.visit(node.key, scope);
      this.#function(node, scope);
    },
    TSAbstractMethodDefinition: (node, scope) => this.#keyed(node, scope),
    TSAbstractPropertyDefinition: (node, scope) => this.#keyed(node, scope),
    TSAbstractAccessorProperty: (node, scope) => this.#keyed(node, scope),
    TSPropertySignature: (node, scope) => this.#keyed(node, scope),
    TSTypeAliasDeclaration: (node, scope) => this.#typeDeclaration(node, scope),
    TSInterfaceDeclaration: (node, scope) => this.#typeDeclaration(node, scope),
    TSEnumDeclaration: ({ id, body }, scope) => {
      this.#declare(id, ANY, scope);
      const inner = new Scope(scope, false);
      for (const member of body.members) {
        if (member.id.type === "Identifier") this.#declare(member.id, VALUE, inner);
        this.visit(member.initializer, inner);
      }
    },
    TSModuleDeclaration: (node, scope) => this.#namespace(node, scope),
    TSNamespaceExportDeclaration: NOTHING,
    TSImportEqualsDeclaration: ({ id, moduleReference }, scope) => {
      this.#declare(id, ANY, scope);
      this.#entity(moduleReference, ANY, scope);
    },
    TSExportAssignment: ({ expression }, scope) => this.#entity(expression, ANY, scope),
    TSTypeParameter: (node, scope) => {
      this.#declare(node.name, TYPE, scope);
      this.#inside(node, scope, "name");
    },
    TSMappedType: (node, scope) => {
      const inner = new Scope(scope, false);
      this.#declare(node.key, TYPE, inner);
      this.#inside(node, inner, "key");
    },
    TSConditionalType: ({ checkType, extendsType, trueType, falseType }, scope) => {
      // What `infer` names after `extends` is known where it holds.
      const inner = new Scope(scope, false);
      this.visit(checkType, scope);
      this.visit(extendsType, inner);
      this.visit(trueType, inner);
      this.visit(falseType, scope);
    },
    TSIndexSignature: ({ parameters, typeAnnotation }, scope) => {
      for (const parameter of parameters) this.visit(parameter.typeAnnotation, scope);
      this.visit(typeAnnotation, scope);
    },
    TSTypeReference: ({ typeName, typeArguments }, scope) => {
      this.#entity(typeName, TYPE, scope);
      this.visit(typeArguments, scope);
    },
    TSTypeQuery: ({ exprName, typeArguments }, scope) => {
      this.#entity(exprName, VALUE, scope);
      this.visit(typeArguments, scope);
    },
    TSInterfaceHeritage: ({ expression, typeArguments }, scope) => {
      this.#entity(expression, TYPE, scope);
      this.visit(typeArguments, scope);
    },
    TSClassImplements: ({ expression, typeArguments }, scope) => {
      this.#entity(expression, TYPE, scope);
      this.visit(typeArguments, scope);
    },
    TSQualifiedName: (node, scope) => this.#entity(node, ANY, scope),
    TSImportType: ({ typeArguments }, scope) => this.visit(typeArguments, scope),
    TSTypePredicate: ({ parameterName, typeAnnotation }, scope) => {
      this.visit(parameterName, scope);
      this.visit(typeAnnotation, scope);
    },
    TSNamedTupleMember: ({ elementType }, scope) => this.visit(elementType, scope),
  };

  /** A name, or the first of names with dots between them: that one is a namespace or an object. */
  #entity(node: Node, meaning: number, scope: Scope): void {
    if (node.type === "Identifier") this.#refer(node, meaning, scope);
    else if (node.type === "TSQualifiedName")
      this.#entity(node.left, meaning === VALUE ? VALUE | NAMESPACE : NAMESPACE, scope);
    else if (node.type === "MemberExpression" && meaning === TYPE)
      this.#entity(node.object, NAMESPACE, scope);
    else this.visit(node, scope);
  }

  /** Parameters are a scope around that of the body. */
  #function(node: Node, scope: Scope): void {
    const outer = new Scope(scope, true);
    const { id, typeParameters, params, returnType, body } = node as unknown as Function;
    if (node.type === "FunctionExpression" && id !== null) this.#declare(id, VALUE, outer);
    this.visit(typeParameters, outer);
    for (const parameter of params) this.#bind(parameter, outer, outer);
    this.visit(returnType, outer);
    if (body?.type === "BlockStatement") this.#inside(body, new Scope(outer, true));
    else this.visit(body, outer);
  }

  #namedFunction(node: NodeOf<"FunctionDeclaration">, scope: Scope): void {
    if (node.id !== null) this.#declare(node.id, VALUE, scope);
    this.#function(node, scope);
  }

  #typeDeclaration(node: Node & { readonly id: Node }, scope: Scope): void {
    this.#declare(node.id, TYPE, scope);
    this.#inside(node, new Scope(scope, false), "id");
  }

  #keyed(node: Node & { readonly computed?: boolean }, scope: Scope): void {
    this.#inside(node, scope, ...(node.computed === true ? [] : ["key"]));
  }

  #class(node: NodeOf<"ClassDeclaration">, outer: Scope, declaring: Scope): void {
    if (node.id !== null) this.#declare(node.id, VALUE | TYPE, declaring);
    for (const decorator of node.decorators) this.visit(decorator, outer);
    this.#inside(node, new Scope(declaring, false), "decorators", "id");
  }

  #namespace(node: NodeOf<"TSModuleDeclaration">, scope: Scope): void {
    let { id } = node as { readonly id: Node };
    while (id.type === "TSQualifiedName") id = id.left;
    const name = id.type === "Identifier" && node.kind !== "global" ? id.name : undefined;
    const inner = (name === undefined ? undefined : scope.namespaces.get(name)) ?? new Scope(scope, true);
    if (name !== undefined) {
      this.#declare(id, VALUE | NAMESPACE, scope);
      scope.namespaces.set(name, inner);
    }
    this.visit(node.body, inner);
  }

  /** Declares the names of a pattern; defaults and types in it are read in `scope`. */
  #bind(pattern: Node, into: Scope, scope: Scope): void {
    if (pattern.type === "Identifier") {
      this.#declare(pattern, VALUE, into);
      this.#inside(pattern, scope);
    } else if (pattern.type === "Property") {
      if (pattern.computed) this.visit(pattern.key, scope);
      this.#bind(pattern.value, into, scope);
    } else if (pattern.type === "AssignmentPattern") {
      this.#bind(pattern.left, into, scope);
      this.visit(pattern.right, scope);
    } else if (NESTING.has(pattern.type))
      this.#each(pattern, (child) => {
        if (child.type === "TSTypeAnnotation" || child.type === "Decorator") this.visit(child, scope);
        else this.#bind(child, into, scope);
      });
    else this.visit(pattern, scope);
  }

  #declare(node: Node, meaning: number, scope: Scope): void {
    const { name } = node as Named;
    this.names.add(name);
    const known = scope.bindings.get(name);
    const binding = { node: node as Named, meaning };
    if (known === undefined) scope.bindings.set(name, [binding]);
    else known.push(binding);
  }

  #refer(node: Named, meaning: number, scope: Scope): void {
    this.names.add(node.name);
    this.references.push({ node, meaning, scope });
  }

  #inside(node: Node, scope: Scope, ...without: readonly string[]): void {
    this.#each(node, (child, key) => {
      if (!without.includes(key)) this.visit(child, scope);
    });
  }

  #each(node: Node, call: (child: Node, key: string) => void): void {
    const members = node as unknown as Readonly<Record<string, Node | readonly (Node | null)[] | null>>;
    for (const key of this.#keys[node.type] ?? []) {
      const member = members[key];
      if (Array.isArray(member)) {
        for (const child of member) if (child !== null) call(child, key);
      } else if (member !== null && member !== undefined) call(member as Node, key);
    }
  }
}
