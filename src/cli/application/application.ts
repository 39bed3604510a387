// Finds the ingress of an application's module, without a server.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import type { SchematicOptions } from "#runtime/draw/schematic-of.js";
import { UsageError } from "../terminal/command.js";

/** An ingress of this or another copy of the package. */
export interface Ingress {
  routes(options?: SchematicOptions): readonly RouteInfo[];
  readonly plan: IngressPlan;
}

type Exported = Readonly<Record<string, unknown>>;

/**
 * The ingress that the module exports as `name` or under a usual name, or that such a function makes.
 * Without `name` and a usual one: its only other ingress, or the result of its only other function.
 */
export async function ingressOf(file: string, name: string | undefined): Promise<Ingress> {
  return (await found(await moduleOf(file), file, name)).ingress;
}

/** The name of that export. */
export const ingressExport = async (exported: Exported, file: string): Promise<string> =>
  (await found(exported, file, undefined)).name;

async function found(
  exported: Exported,
  file: string,
  given: string | undefined,
): Promise<{ readonly name: string; readonly ingress: Ingress }> {
  const wanted = given === undefined ? USUAL : [given];
  for (const name of wanted) {
    if (!Object.hasOwn(exported, name)) continue;
    const ingress = await made(exported[name], name, file);
    if (isIngress(ingress)) return { name, ingress };
  }
  const only = given === undefined ? onlyCandidate(exported) : undefined;
  let cause: unknown;
  if (only !== undefined)
    try {
      const ingress = await made(exported[only], only, file);
      if (isIngress(ingress)) return { name: only, ingress };
    } catch (error) {
      cause = error;
    }
  const refused = cause === undefined ? undefined : { cause };
  throw new NoIngressError(noIngress(file, wanted, exported), refused);
}

/** The only export that may be the ingress. Async functions are not called: they may listen. */
function onlyCandidate(exported: Exported): string | undefined {
  const others = Object.keys(exported).filter((name) => !USUAL.includes(name));
  const ingresses = others.filter((name) => isIngress(exported[name]));
  const makes = (name: string) => isFactory(exported[name]) && !isAsync(exported[name]);
  const candidates = ingresses.length > 0 ? ingresses : others.filter(makes);
  return candidates.length === 1 ? candidates[0] : undefined;
}

const isAsync = (value: unknown): boolean =>
  Object.prototype.toString.call(value) === "[object AsyncFunction]";

/** The module exports no ingress under the expected names. */
export class NoIngressError extends Error {}

const USUAL = ["default", "ingress", "app"];

/** The exports of the file. */
export async function moduleOf(file: string): Promise<Exported> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`there is no file ${file}`);
  try {
    if (isTypeScript(path)) await readTypeScript(path);
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = isTypeScript(path) && UNREADABLE.has(code ?? "") ? TYPESCRIPT : "";
    throw new Error(`${file} could not be loaded${remedy}`, { cause: error });
  }
}

export const isTypeScript = (path: string): boolean => /\.[cm]?tsx?$/.test(path);

/** Installs the loader of the application's tsx, once. Without tsx Node.js reads the TypeScript that it can. */
async function readTypeScript(path: string): Promise<void> {
  if (isReading || process.execArgv.some((argument) => argument.includes("tsx"))) return;
  const loader = tsxOf(path, "./esm/api");
  if (loader === undefined) return;
  const { register } = (await import(pathToFileURL(loader).href)) as { readonly register: () => unknown };
  register();
  isReading = true;
}

let isReading = false;

/** A module of tsx, resolved as `import` would from that path; undefined if it is not installed. */
export function tsxOf(path: string, entry: keyof TsxManifest["exports"]): string | undefined {
  try {
    const manifest = createRequire(path).resolve("tsx/package.json");
    const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as TsxManifest;
    const target = exports[entry];
    return resolve(dirname(manifest), typeof target === "string" ? target : target.import.default);
  } catch {
    return undefined;
  }
}

interface TsxManifest {
  readonly exports: {
    readonly ".": string;
    readonly "./esm/api": { readonly import: { readonly default: string } };
  };
}

/** Error codes of Node.js for unsupported TypeScript: all of it, a part of it, or imports of .js that are .ts. */
const UNREADABLE = new Set([
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_INVALID_TYPESCRIPT_SYNTAX",
  "ERR_MODULE_NOT_FOUND",
]);

export const TYPESCRIPT = `. It is TypeScript: install tsx beside it, npm install --save-dev tsx, or name the built module`;

/** The result of a factory; one with a parameter gets no options, `{}`. Other values are returned unchanged. */
async function made(value: unknown, name: string, file: string): Promise<unknown> {
  if (!isFactory(value)) return value;
  if (value.length === 0) return value();
  try {
    return await value({});
  } catch (error) {
    throw new Error(
      `${file}: ${name}({}) threw. Give its options defaults, or export a function that calls it with some`,
      { cause: error },
    );
  }
}

const isFactory = (value: unknown): value is (options?: object) => unknown =>
  typeof value === "function" && value.length <= 1 && !isClass(value);

const isClass = (value: object): boolean => /^class\b/.test(Function.prototype.toString.call(value));

const isIngress = (value: unknown): value is Ingress =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<Ingress>).routes === "function" &&
  "plan" in value;

function noIngress(file: string, wanted: readonly string[], exported: Exported): string {
  const names = Object.keys(exported);
  const taking = wanted.filter((name) => {
    const value = exported[name];
    return typeof value === "function" && value.length > 1;
  });
  const there = [
    names.length === 0 ? "It exports nothing" : `It exports ${names.join(", ")}`,
    ...taking.map((name) => `${name} has more parameters than one of options`),
  ].join("; ");
  return `${file} exports no ingress as ${wanted.join(" or ")}. ${there}. Export what Framework.http() answers, or a function that makes it from no options or {}, from a module that does not call run(); --export names another export`;
}
