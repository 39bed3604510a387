// Types of the packages that the odd sources import: before the rules and after them.

const ELEMENTS = `
declare global {
  namespace JSX { interface Element {} interface IntrinsicElements {} }
  var New: number;
}
`;

const exported = (view: string, cls: string, type: string, fn: string, more: string): string => `${ELEMENTS}
export class ${cls}<T = unknown> { constructor(...x: unknown[]); old: number; value: T; }
export interface ${type} { old: number }
export function ${view}<T>(props: any): JSX.Element;
export namespace ${view} { function Part(props: any): JSX.Element; }
export function ${fn}(...x: any[]): any;
export const Kept: unique symbol;
${more}`;

const GONE = "{ gone: 1 } | { moved: 1 }";

export const packagesBefore = {
  "node_modules/m/index.d.ts": exported(
    ...(["OldView", "Old", "OldType", "oldFn"] as const),
    `export class OldToo {}\nexport type Moved = ${GONE};\nexport const Moved: Moved;\ndeclare const main: 1;\nexport default main;\n`,
  ),
  "node_modules/m/sub.d.ts": "export {};\n",
  "node_modules/m/other.d.ts": "export class Old { constructor(...x: unknown[]); }\n",
  "node_modules/old-package/index.d.ts": "export const a: 1;\n",
};

export const packagesAfter = {
  "node_modules/m/index.d.ts": exported(
    ...(["NewView", "New", "NewType", "newFn"] as const),
    "export const Main: 1;\n",
  ),
  "node_modules/m/sub.d.ts": `export type Gone = ${GONE};\nexport const Gone: Gone;\n`,
  "node_modules/m/other.d.ts": packagesBefore["node_modules/m/other.d.ts"],
  "node_modules/new-package/index.d.ts": "export const a: 1;\n",
};

export const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ target: "ES2023", module: "preserve", moduleResolution: "bundler", jsx: "preserve", strict: true },
    ...{ experimentalDecorators: true, noEmit: true, types: [], allowJs: true, checkJs: false },
    skipLibCheck: false,
  },
  include: ["*"],
});
