// The imports of a module, read from its syntax: types and `export … from` too.

import { parseSync, Visitor } from "oxc-parser";

/** Specifiers of one module, as written there. */
export function specifiersOf(file, code) {
  const { module, program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}: mend its syntax`);
  const found = [
    ...module.staticImports,
    ...module.staticExports.flatMap(({ entries }) => entries.filter((entry) => entry.moduleRequest !== null)),
  ].map(({ moduleRequest }) => ({ specifier: moduleRequest.value, isLazy: false }));
  // Parsing the whole file is slower than reading its imports: only if it has these words.
  if (/\bimport\s*\(/.test(code)) found.push(...expressionsOf(program));
  return found;
}

/** `import("…")`, as a value and in types. `typeof import("…")` is the type of a lazily loaded module. */
function expressionsOf(program) {
  const found = [];
  const lateTypes = new Set();
  new Visitor({
    ImportExpression({ source }) {
      if (source.type === "Literal") found.push({ specifier: source.value, isLazy: true });
      else if (source.type === "TemplateLiteral" && source.expressions.length === 0)
        found.push({ specifier: source.quasis[0].value.cooked, isLazy: true });
    },
    TSTypeQuery({ exprName }) {
      lateTypes.add(exprName);
    },
    TSImportType(node) {
      found.push({ specifier: node.source.value, isLazy: lateTypes.has(node) });
    },
  }).visit(program);
  return found;
}
