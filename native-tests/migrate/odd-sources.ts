// Sources in odd shapes, and what the rules below make of them. `m` is a package that exports
// Old, OldToo, OldView, OldType, oldFn, Moved, Kept and a default.

/** What the sources are migrated by. */
export const RULES = `
[[rules]]
kind = "rename_import"
from_module = "m"
from_name = "Old"
to_name = "New"

[[rules]]
kind = "rename_import"
from_module = "m"
from_name = "OldToo"
to_name = "New"

[[rules]]
kind = "rename_import"
from_module = "m"
from_name = "OldView"
to_name = "NewView"

[[rules]]
kind = "rename_import"
from_module = "m"
from_name = "OldType"
to_name = "NewType"

[[rules]]
kind = "rename_import"
from_module = "m"
from_name = "oldFn"
to_name = "newFn"

[[rules]]
kind = "rename_import"
from_module = "m"
from_name = "Moved"
to_module = "m/sub"
to_name = "Gone"

[[rules]]
kind = "rename_import"
from_module = "m"
from_name = "default"
to_name = "Main"

[[rules]]
kind = "rename_import"
from_module = "old-package"
to_module = "new-package"
`;

export interface OddSource {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const source = (file: string, before: string, after: string): OddSource => ({ file, before, after });

export const oddSources: readonly OddSource[] = [
  source("plain.ts", `import { Old } from "m";\nnew Old();\n`, `import { New } from "m";\nnew New();\n`),
  source("single-quotes.ts", `import {Old} from 'm'\nnew Old()`, `import {New} from 'm'\nnew New()`),
  source(
    "aliased.ts",
    `import { Old as Mine } from "m";\nnew Mine();\n`,
    `import { New as Mine } from "m";\nnew Mine();\n`,
  ),
  source(
    "aliased-as-new.ts",
    `import { Old as New } from "m";\nnew New();\n`,
    `import { New } from "m";\nnew New();\n`,
  ),
  source(
    "shebang.mjs",
    `#!/usr/bin/env node\nimport { Old } from "m";\nnew Old();\n`,
    `#!/usr/bin/env node\nimport { New } from "m";\nnew New();\n`,
  ),
  source(
    "byte-order-mark.ts",
    `\ufeffimport { Old } from "m";\nnew Old();\n`,
    `\ufeffimport { New } from "m";\nnew New();\n`,
  ),
  source(
    "mark-and-shebang.mjs",
    `\ufeff#!/usr/bin/env node\r\nimport { Old } from "m";\r\nnew Old();\r\n`,
    `\ufeff#!/usr/bin/env node\r\nimport { New } from "m";\r\nnew New();\r\n`,
  ),
  source(
    "crlf.ts",
    `import {\r\n  Kept,\r\n  Old,\r\n} from "m";\r\n\r\nnew Old(Kept);\r\n`,
    `import {\r\n  Kept,\r\n  New,\r\n} from "m";\r\n\r\nnew New(Kept);\r\n`,
  ),
  source(
    "beyond-ascii.ts",
    `// Größe 日本 😀\nimport { Old } from "m"; /* 😀 */ const größe = "😀" + new Old();\nexport { größe };\n`,
    `// Größe 日本 😀\nimport { New } from "m"; /* 😀 */ const größe = "😀" + new New();\nexport { größe };\n`,
  ),
  source("no-line-end.ts", `import { Old } from "m"; new Old()`, `import { New } from "m"; new New()`),
  source("one-line.js", `import{Old}from"m";new Old;new Old`, `import{New}from"m";new New;new New`),
  source(
    "comments.ts",
    `import { /* first */ Old /* last */, Kept } from "m"; // Old\nnew Old(/* Old */ Kept);\n`,
    `import { /* first */ New /* last */, Kept } from "m"; // Old\nnew New(/* Old */ Kept);\n`,
  ),
  source(
    "texts.ts",
    'import { Old } from "m";\nnew Old("Old", \'Old\', `Old ${new Old()}`, /Old/);\n',
    'import { New } from "m";\nnew New("Old", \'Old\', `Old ${new New()}`, /Old/);\n',
  ),
  source(
    "keys.ts",
    `import { Old } from "m";\nconst x = { Old: 1, y: { Old() {} } };\nx.Old; x?.Old; x["Old"]; x.y.Old();\nnew Old();\n`,
    `import { New } from "m";\nconst x = { Old: 1, y: { Old() {} } };\nx.Old; x?.Old; x["Old"]; x.y.Old();\nnew New();\n`,
  ),
  source(
    "shorthand.ts",
    `import { Old, oldFn } from "m";\nexport const x = { Old, oldFn, y: Old };\n`,
    `import { New, newFn } from "m";\nexport const x = { Old: New, oldFn: newFn, y: New };\n`,
  ),
  source(
    "exported.ts",
    `import { Old, oldFn } from "m";\nexport { Old, oldFn as run };\n`,
    `import { New, newFn } from "m";\nexport { New as Old, newFn as run };\n`,
  ),
  source(
    "exported-default.ts",
    `import { Old } from "m";\nexport default Old;\n`,
    `import { New } from "m";\nexport default New;\n`,
  ),
  source(
    "reexported.ts",
    `export { Old, Kept, oldFn as run } from "m";\n`,
    `export { New as Old, Kept, newFn as run } from "m";\n`,
  ),
  source("reexported-as-new.ts", `export { Old as New } from "m";\n`, `export { New } from "m";\n`),
  source(
    "reexported-types.ts",
    `export type { OldType } from "m";\nexport { type Old } from "m";\n`,
    `export type { NewType as OldType } from "m";\nexport { type New as Old } from "m";\n`,
  ),
  source(
    "type-import.ts",
    `import type { OldType, Kept } from "m";\nexport type Both = OldType | typeof Kept;\n`,
    `import type { NewType, Kept } from "m";\nexport type Both = NewType | typeof Kept;\n`,
  ),
  source(
    "inline-type.ts",
    `import { type OldType, Old } from "m";\nexport const x: OldType = new Old() as never;\n`,
    `import { type NewType, New } from "m";\nexport const x: NewType = new New() as never;\n`,
  ),
  source(
    "type-positions.ts",
    `import { Old, OldType } from "m";\nexport let a: Old<OldType>[] = [];\nexport type B = typeof Old;\nexport function c(this: OldType, x: unknown): x is Old { return x instanceof Old; }\nexport type D<T extends OldType> = T extends Old<infer U> ? U : { [K in keyof OldType]: Old };\n`,
    `import { New, NewType } from "m";\nexport let a: New<NewType>[] = [];\nexport type B = typeof New;\nexport function c(this: NewType, x: unknown): x is New { return x instanceof New; }\nexport type D<T extends NewType> = T extends New<infer U> ? U : { [K in keyof NewType]: New };\n`,
  ),
  source(
    "heritage.ts",
    `import { Old, OldType } from "m";\nexport class A extends Old<number> implements OldType { old = 1; }\nexport interface B extends OldType, Old {}\n`,
    `import { New, NewType } from "m";\nexport class A extends New<number> implements NewType { old = 1; }\nexport interface B extends NewType, New {}\n`,
  ),
  source(
    "members-named-so.ts",
    `import { Old } from "m";\nexport class A { Old = Old; static Old = new Old(); getOld(): Old { return new this.Old(); } }\n`,
    `import { New } from "m";\nexport class A { Old = New; static Old = new New(); getOld(): New { return new this.Old(); } }\n`,
  ),
  source(
    "decorator.ts",
    `import { oldFn } from "m";\n@oldFn @oldFn()\nexport class A { @oldFn() x = 1; }\n`,
    `import { newFn } from "m";\n@newFn @newFn()\nexport class A { @newFn() x = 1; }\n`,
  ),
  source(
    "elements.tsx",
    `import { OldView } from "m";\nexport const x = <OldView OldView="OldView">OldView<OldView.Part /></OldView>;\n`,
    `import { NewView } from "m";\nexport const x = <NewView OldView="OldView">OldView<NewView.Part /></NewView>;\n`,
  ),
  source(
    "generic-element.tsx",
    `import { OldView } from "m";\nconst f = <T,>(x: T) => <OldView<T> x={x} {...{ OldView }} />;\nexport { f };\n`,
    `import { NewView } from "m";\nconst f = <T,>(x: T) => <NewView<T> x={x} {...{ OldView: NewView }} />;\nexport { f };\n`,
  ),
  source(
    "elements.js",
    `import { OldView } from "m";\nexport const x = <OldView>{OldView}</OldView>;\n`,
    `import { NewView } from "m";\nexport const x = <NewView>{NewView}</NewView>;\n`,
  ),
  source(
    "shadowed-parameter.ts",
    `import { Old } from "m";\nexport function f(Old: string) { return Old; }\nexport const g = ({ Old }: { Old?: string } = {}, x = Old) => [x, Old];\nnew Old();\n`,
    `import { New } from "m";\nexport function f(Old: string) { return Old; }\nexport const g = ({ Old }: { Old?: string } = {}, x = Old) => [x, Old];\nnew New();\n`,
  ),
  source(
    "shadowed-blocks.ts",
    `import { Old } from "m";\n{ const Old = 1; void Old; }\nfor (const Old of [1]) void Old;\ntry { void Old; } catch (Old) { void Old; }\nswitch (1) { case 1: let Old = 2; void Old; }\nfunction f() { if (f()) { var Old = 1; } else Old = 2; return Old; }\nvoid [f, Old];\n`,
    `import { New } from "m";\n{ const Old = 1; void Old; }\nfor (const Old of [1]) void Old;\ntry { void New; } catch (Old) { void Old; }\nswitch (1) { case 1: let Old = 2; void Old; }\nfunction f() { if (f()) { var Old = 1; } else Old = 2; return Old; }\nvoid [f, New];\n`,
  ),
  source(
    "shadowed-types.ts",
    `import { Old } from "m";\nexport function f<Old>(x: Old) { return [x, oldest()]; function oldest(): Old { return x; } }\nexport type G<T> = T extends (infer Old)[] ? Old : Old;\nexport type H = { [Old in "a"]: Old };\nexport const i = () => { type Old = 1; const x: Old = 1; return [x, new OldAgain()]; };\nclass OldAgain extends Old {}\n`,
    `import { New } from "m";\nexport function f<Old>(x: Old) { return [x, oldest()]; function oldest(): Old { return x; } }\nexport type G<T> = T extends (infer Old)[] ? Old : New;\nexport type H = { [Old in "a"]: Old };\nexport const i = () => { type Old = 1; const x: Old = 1; return [x, new OldAgain()]; };\nclass OldAgain extends New {}\n`,
  ),
  source(
    "hidden-as-a-value-alone.ts",
    `import { Old } from "m";\nexport function f(Old: number): Old { return Old as never; }\nexport function g<Old>(): Old { return new Old() as never; }\n`,
    `import { New } from "m";\nexport function f(Old: number): New { return Old as never; }\nexport function g<Old>(): Old { return new New() as never; }\n`,
  ),
  source(
    "own-names.ts",
    `import { Old } from "m";\nexport const f = function Old(): unknown { return Old; };\nexport const C = class Old { x?: Old; };\nvoid Old;\n`,
    `import { New } from "m";\nexport const f = function Old(): unknown { return Old; };\nexport const C = class Old { x?: Old; };\nvoid New;\n`,
  ),
  source(
    "enum-and-namespace.ts",
    `import { Old } from "m";\nexport enum E { Old = 1, Other = Old }\nexport namespace N { export const Old = 1; }\nexport namespace N { export const x = Old; }\nvoid Old;\n`,
    `import { New } from "m";\nexport enum E { Old = 1, Other = Old }\nexport namespace N { export const Old = 1; }\nexport namespace N { export const x = Old; }\nvoid New;\n`,
  ),
  source(
    "label.js",
    `import { Old } from "m";\nOld: for (;;) { new Old(); break Old; }\n`,
    `import { New } from "m";\nOld: for (;;) { new New(); break Old; }\n`,
  ),
  source(
    "collides.ts",
    `import { Old } from "m";\nconst New = 1;\nvoid [new Old(), New];\n`,
    `import { New as Old } from "m";\nconst New = 1;\nvoid [new Old(), New];\n`,
  ),
  source(
    "collides-within.ts",
    `import { Old } from "m";\nexport const f = (New: string) => [New, new Old()];\n`,
    `import { New as Old } from "m";\nexport const f = (New: string) => [New, new Old()];\n`,
  ),
  source(
    "collides-with-a-global.ts",
    `import { Old } from "m";\ndeclare global { var New: number }\nvoid [globalThis, New, Old];\n`,
    `import { New as Old } from "m";\ndeclare global { var New: number }\nvoid [globalThis, New, Old];\n`,
  ),
  source(
    "two-in-one.ts",
    'import { Old, OldToo } from "m";\nvoid [Old, OldToo];\n',
    'import { New, New as OldToo } from "m";\nvoid [New, OldToo];\n',
  ),
  source(
    "twice.ts",
    `import { Old, Old as Again } from "m";\nvoid [Old, Again];\n`,
    `import { New, New as Again } from "m";\nvoid [New, Again];\n`,
  ),
  source(
    "moved.ts",
    `import { Kept, Moved, oldFn } from "m";\nvoid [Kept, Moved, oldFn];\n`,
    `import { Kept, newFn } from "m";\nimport { Gone } from "m/sub";\nvoid [Kept, Gone, newFn];\n`,
  ),
  source(
    "moved-alone.ts",
    `import { Moved } from 'm'\nvoid Moved\n`,
    `import { Gone } from 'm/sub'\nvoid Gone\n`,
  ),
  source(
    "moved-last.ts",
    `import {\r\n  type OldType,\r\n  Moved as Mine,\r\n} from "m";\r\nconst x: OldType = { old: 1 };\r\nvoid [x, Mine];\r\n`,
    `import {\r\n  type NewType,\r\n} from "m";\r\nimport { Gone as Mine } from "m/sub";\r\nconst x: NewType = { old: 1 };\r\nvoid [x, Mine];\r\n`,
  ),
  source(
    "moved-beside-default.ts",
    `import main, { Moved } from "m";\nvoid [main, Moved];\n`,
    `import { Main as main } from "m";\nimport { Gone } from "m/sub";\nvoid [main, Gone];\n`,
  ),
  source(
    "moved-between-comments.ts",
    'import {\n  // one\n  Moved, // two, three\n  // four\n  Kept /* five */, // six\n} from "m";\nvoid [Moved, Kept];\n',
    'import {\n  // one\n   // two, three\n  // four\n  Kept /* five */, // six\n} from "m";\nimport { Gone } from "m/sub";\nvoid [Gone, Kept];\n',
  ),
  source(
    "moved-last-ones.ts",
    'import { Kept, Moved, Moved as Again } from "m";\nvoid [Moved, Kept, Again];\n',
    'import { Kept } from "m";\nimport { Gone, Gone as Again } from "m/sub";\nvoid [Gone, Kept, Again];\n',
  ),
  source(
    "moved-reexport.ts",
    `export { Kept, Moved } from "m";\n`,
    `export { Kept } from "m";\nexport { Gone as Moved } from "m/sub";\n`,
  ),
  source(
    "moved-type.ts",
    `import type { Kept, Moved } from "m";\nexport type A = typeof Kept | Moved;\n`,
    `import type { Kept } from "m";\nimport type { Gone } from "m/sub";\nexport type A = typeof Kept | Gone;\n`,
  ),
  source(
    "default.ts",
    `import main from "m";\nvoid main;\n`,
    `import { Main as main } from "m";\nvoid main;\n`,
  ),
  source(
    "default-beside.ts",
    `import main, { Kept, type OldType } from "m";\nconst x: OldType = { old: main };\nvoid [x, Kept];\n`,
    `import { Main as main, Kept, type NewType } from "m";\nconst x: NewType = { old: main };\nvoid [x, Kept];\n`,
  ),
  source(
    "default-listed.ts",
    `import { default as main } from "m";\nexport { default } from "m";\nvoid main;\n`,
    `import { Main as main } from "m";\nexport { Main as default } from "m";\nvoid main;\n`,
  ),
  source(
    "default-and-namespace.ts",
    `import main, * as m from "m";\nvoid [main, m.Kept];\n`,
    `import * as m from "m";\nimport { Main as main } from "m";\nvoid [main, m.Kept];\n`,
  ),
  source(
    "namespace.tsx",
    `import * as m from "m";\nexport const x: m.OldType | typeof m.Old = m.Old;\nm["oldFn"](m.Kept);\nexport const y = <m.OldView><m.OldView.Part /></m.OldView>;\nexport class A extends m.Old<m.OldType> implements m.OldType { old = 1; }\n`,
    `import * as m from "m";\nexport const x: m.NewType | typeof m.New = m.New;\nm["newFn"](m.Kept);\nexport const y = <m.NewView><m.NewView.Part /></m.NewView>;\nexport class A extends m.New<m.NewType> implements m.NewType { old = 1; }\n`,
  ),
  source(
    "namespace-taken-apart.ts",
    `import * as m from "m";\nconst { Old, oldFn: run = Old, ...rest } = m;\nvoid [Old, run, rest];\n`,
    `import * as m from "m";\nconst { New: Old, newFn: run = Old, ...rest } = m;\nvoid [Old, run, rest];\n`,
  ),
  source(
    "namespace-shadowed.ts",
    `import * as m from "m";\nexport const f = (m: { Old: 1 }) => m.Old;\nexport const g = (m: number): m.OldType => [m] as never;\nvoid m.Old;\n`,
    `import * as m from "m";\nexport const f = (m: { Old: 1 }) => m.Old;\nexport const g = (m: number): m.NewType => [m] as never;\nvoid m.New;\n`,
  ),
  source(
    "namespace-moved.ts",
    `import * as m from "m";\nexport const x: m.Moved = m.Moved;\nvoid m.Kept;\n`,
    `import * as m from "m";\nimport { Gone } from "m/sub";\nexport const x: Gone = Gone;\nvoid m.Kept;\n`,
  ),
  source(
    "namespace-moved-whole.ts",
    `import * as m from "m";\nvoid m.Moved;\n`,
    `import * as m from "m/sub";\nvoid m.Gone;\n`,
  ),
  source(
    "required.cjs",
    `"use strict";\nconst { Old, Kept: k } = require("m");\nconst m = require("m");\nmodule.exports = [new Old(), k, m.Old, require("m").oldFn, require("m")];\n`,
    `"use strict";\nconst { New: Old, Kept: k } = require("m");\nconst m = require("m");\nmodule.exports = [new Old(), k, m.New, require("m").newFn, require("m")];\n`,
  ),
  source(
    "returning.js",
    `const { Old } = require("m");\nif (!Old) return;\nvar m = require('m');\nm.Old();\n`,
    `const { New: Old } = require("m");\nif (!Old) return;\nvar m = require('m');\nm.New();\n`,
  ),
  source(
    "import-equals.cts",
    `import m = require("m");\nimport Mine = m.Old;\nconst x: m.OldType = new Mine() as never;\nexport = [m.Old, x];\n`,
    `import m = require("m");\nimport Mine = m.New;\nconst x: m.NewType = new Mine() as never;\nexport = [m.New, x];\n`,
  ),
  source(
    "dynamic.ts",
    `export async function f() {\n  const m = await import("m");\n  const { Old } = await import("m");\n  return [m.Old, Old, (await import("m")).oldFn, await import(\`m\`).then(({ Old }) => Old), await import("m").then((n) => n.Old)];\n}\n`,
    `export async function f() {\n  const m = await import("m");\n  const { New: Old } = await import("m");\n  return [m.New, Old, (await import("m")).newFn, await import(\`m\`).then(({ New: Old }) => Old), await import("m").then((n) => n.New)];\n}\n`,
  ),
  source(
    "dynamic-moved.ts",
    `export const f = async () => [(await import("m")).Moved, (await import("m")) as typeof import("m")];\n`,
    `export const f = async () => [(await import("m/sub")).Gone, (await import("m")) as typeof import("m")];\n`,
  ),
  source(
    "import-types.ts",
    `export type A = import("m").Old<import("m").OldType>;\nexport type B = typeof import("m");\nexport let c: typeof import("m").oldFn;\nexport type D = import("m").Moved;\n`,
    `export type A = import("m").New<import("m").NewType>;\nexport type B = typeof import("m");\nexport let c: typeof import("m").newFn;\nexport type D = import("m/sub").Gone;\n`,
  ),
  source(
    "augmented.ts",
    `import type { OldType } from "m";\ndeclare module "m" {\n  interface OldType { more?: OldType; }\n}\nexport const x: OldType = { old: 1 };\n`,
    `import type { NewType } from "m";\ndeclare module "m" {\n  interface NewType { more?: NewType; }\n}\nexport const x: NewType = { old: 1 };\n`,
  ),
  source(
    "whole-package.ts",
    `import "old-package";\nimport { a } from "old-package";\nimport * as all from 'old-package';\nexport * from "old-package";\nexport * as again from "old-package";\nvoid [a, all, import("old-package"), import.meta.resolve("old-package"), "old-package"];\nexport type T = typeof import("old-package");\n`,
    `import "new-package";\nimport { a } from "new-package";\nimport * as all from 'new-package';\nexport * from "new-package";\nexport * as again from "new-package";\nvoid [a, all, import("new-package"), import.meta.resolve("new-package"), "old-package"];\nexport type T = typeof import("new-package");\n`,
  ),
  source(
    "attributes.ts",
    `import { a } from "old-package" with { type: "macro" }\nvoid a\n`,
    `import { a } from "new-package" with { type: "macro" }\nvoid a\n`,
  ),
  source(
    "declarations.d.ts",
    `import { Old, OldType } from "m";\nexport declare const x: Old<OldType>;\nexport declare class Mine extends Old {}\n`,
    `import { New, NewType } from "m";\nexport declare const x: New<NewType>;\nexport declare class Mine extends New {}\n`,
  ),
  source(
    "string-name.mjs",
    `import { "Old" as Mine } from "m";\nnew Mine();\n`,
    `import { New as Mine } from "m";\nnew Mine();\n`,
  ),
  source(
    "other-module.ts",
    `import { Old } from "m/other";\nnew Old("m");\n`,
    `import { Old } from "m/other";\nnew Old("m");\n`,
  ),
];
