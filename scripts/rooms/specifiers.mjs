// What a module imports, read from its syntax: types too, and `export … from`.

import { parseSync, Visitor } from "oxc-parser";

/** What one module imports, as it is written there. */
export function specifiersOf(file, code) {
  const { module, program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}: mend its syntax`);
  const found = [
    ...module.staticImports,
    ...module.staticExports.flatMap(({ entries }) => entries.filter((entry) => entry.moduleRequest !== null)),
  ].map(({ moduleRequest }) => ({ specifier: moduleRequest.value, isLazy: false }));
  // Reading the whole syntax of a file takes longer than its imports: only where these words are.
  if (/\bimport\s*\(/.test(code)) found.push(...expressionsOf(program));
  return found;
}

/** `import("…")`, as a value and in types. `typeof import("…")` is the type of what is loaded late. */
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
