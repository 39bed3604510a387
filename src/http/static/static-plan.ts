// Makes routes and constants from `serveDir` and `spaFallback`. Directories are checked when the
// ingress starts.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type BusKey, busKey } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { routeOf } from "../plan/declared-route.js";
import type { IngressPlan, PlannedConstant } from "../plan/ingress-plan.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { configInvalid, requireKnown, requireLists, routeInvalid } from "../refusal/option-checks.js";
import { folderAxon, navigationAxon, prefixAxon } from "./file-step.js";
import {
  checkedFolder,
  MOUNT_OPTIONS,
  type MountOptions,
  mountOptionsOf,
  REVALIDATED,
  type ServeDirOptions,
} from "./folder-options.js";
import { firstSegments, Navigations, NavigationsKey } from "./navigations.js";
import { RootFolder } from "./root-folder.js";
import { ServedFolder } from "./served-folder.js";

export interface DeclaredFolder {
  readonly constant: PlannedConstant;
  /** Path and Axon of each route. */
  readonly routes: readonly (readonly [string, unknown])[];
  readonly options: MountOptions;
}

export interface SpaFallbackOptions extends MountOptions {
  /** Prefixes of paths that are never pages: `["/api"]`. Default: the first segment of every mounted route. */
  readonly apiPrefixes?: readonly string[];
}

export interface DeclaredFallback {
  readonly constant: PlannedConstant;
  readonly route: RouteDefinition;
}

/** Throws CONFIG_INVALID, ROUTE_INVALID and HEADER_INVALID. */
export function declaredFolder(given: string, directory: string, options: ServeDirOptions): DeclaredFolder {
  const where = `serveDir('${given}', '${directory}')`;
  requireText(where, "directory", directory);
  const prefix = prefixOf(where, given);
  const checked = checkedFolder(where, options);
  const { index, redirects } = checked;
  const key = busKey<ServedFolder>()(`files:${prefix}`) as BusKey<ServedFolder, string>;
  const mount = { key, prefix, index, redirects };
  const below = [`${prefix}/*path`, folderAxon(mount)] as const;
  const itself =
    prefix !== "" && redirects && index !== undefined
      ? [[prefix, prefixAxon({ ...mount, index })] as const]
      : [];
  const make = ({ staticCacheControl, reporter, production }: IngressPlan): ServedFolder =>
    new ServedFolder(
      new RootFolder(where, directory),
      checked.rulesWith(staticCacheControl),
      reporter,
      production,
    );
  return { constant: { key, make }, routes: [below, ...itself], options: mountOptionsOf(options) };
}

/** Throws CONFIG_INVALID and ROUTE_INVALID. */
export function declaredFallback(file: string, options: SpaFallbackOptions): DeclaredFallback {
  const where = `spaFallback('${file}')`;
  requireText(where, "file", file);
  requireKnown(where, options, ["apiPrefixes", ...MOUNT_OPTIONS]);
  requireLists(where, options, ["apiPrefixes"]);
  const given = options.apiPrefixes?.map((prefix) => prefixOf(where, prefix).slice(1).split("/"));
  const { rulesWith } = checkedFolder(where, { cacheControl: REVALIDATED, immutable: false });
  const make = ({ reporter, production, routes }: IngressPlan): Navigations => {
    const root = new RootFolder(where, dirname(file));
    requireFile(where, root, basename(file));
    const folder = new ServedFolder(root, rulesWith(undefined), reporter, production);
    return new Navigations({ folder, file: basename(file), apiPrefixes: given ?? firstSegments(routes) });
  };
  const route = routeOf("GET", "/*path", navigationAxon, mountOptionsOf(options));
  return { constant: { key: NavigationsKey, make }, route };
}

/** The prefix without a "/" at its end. */
function prefixOf(where: string, given: string): string {
  if (typeof given === "string" && (given === "" || given.startsWith("/"))) return given.replace(/\/$/, "");
  throw routeInvalid(`${where}: begin '${given}' with '/'`);
}

function requireText(where: string, what: string, value: unknown): void {
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return;
  throw configInvalid(`${where}: name the ${what}, as "public"`);
}

/** Throws for a link that leads out of the directory: every request would be 404. */
function requireFile(where: string, root: RootFolder, name: string): void {
  const file = join(root.path, name);
  const real = realFile(file);
  const problem =
    real === undefined
      ? `there is no file '${file}': name one that is there, or build it first`
      : `'${file}' is a link to '${real}', which is outside its directory: name that`;
  if (real === undefined || !root.isAbove(real))
    throw new FrameworkError("FILES_MISSING", `${where}: ${problem}`);
}

function realFile(file: string): string | undefined {
  try {
    const real = realpathSync.native(file);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
