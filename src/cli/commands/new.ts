// `framework new`: copies a template of examples/templates, and writes the files common to all projects.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";

import { didYouMean, nearest } from "#core/nearest.js";
import { visible } from "#core/wire/visible-text.js";
import { packageFolder } from "../application/package-folder.js";
import { nameProblem } from "../application/package-name.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { type Template, templateList, templates } from "./templates.js";

/** Entries that the target folder may already contain. */
const IGNORED_FILES = [".git"];

const TSCONFIG = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023"],
    module: "NodeNext",
    types: ["node"],
    rootDir: "src",
    outDir: "dist",
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitReturns: true,
    noFallthroughCasesInSwitch: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ["src"],
};

const GITIGNORE = "node_modules/\ndist/\n.framework/\n";

export async function newProject(given: Given, { out }: Surroundings): Promise<number> {
  const [name] = given.operands;
  if (name === undefined)
    throw new UsageError("the name is missing: framework new shop --template api; --help tells more");
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new UsageError(
      `'${visible(name)}' cannot be the name of a package: ${problem}. --dir names the folder`,
    );
  const [template, { peers }] = templateOf(given.text("template"));
  const folder = resolve(given.text("dir") ?? basename(name));
  requireEmpty(folder);
  const framework = dependencyOf(given.text("framework"), folder);

  try {
    mkdirSync(folder, { recursive: true });
    cpSync(join(packageFolder, "examples", "templates", template), folder, { recursive: true });
    writeJson(join(folder, "package.json"), manifestOf(name, framework, peers));
    writeJson(join(folder, "tsconfig.json"), TSCONFIG);
    writeFileSync(join(folder, ".gitignore"), GITIGNORE);
  } catch (cause) {
    throw new CommandError(`${folder} could not be written`, { cause });
  }
  out(nextSteps(name, folder));
  return 0;
}

function templateOf(given: string | undefined): readonly [string, Template] {
  const found = [...templates].find(([name]) => name === given);
  if (found !== undefined) return found;
  const remedy = `--template is one of\n\n${templateList.trimEnd()}`;
  if (given === undefined) throw new UsageError(`the template is missing: ${remedy}`);
  const near = nearest(
    given,
    given,
    [...templates.keys()].map((name) => ({ name, tail: name })),
  );
  throw new UsageError(`there is no template '${visible(given)}'; ${didYouMean(near) || remedy}`);
}

function requireEmpty(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new UsageError(`${folder} is a file: name another folder by --dir`);
  const [first] = readdirSync(folder).filter((file) => !IGNORED_FILES.includes(file));
  if (first !== undefined)
    throw new UsageError(`${folder} is not empty, it has ${visible(first)}: name another folder by --dir`);
}

/** Paths of the command line are relative to the working directory, those of a package.json to its folder. */
function dependencyOf(given: string | undefined, folder: string): string {
  if (given === undefined) return `^${ownManifest().version}`;
  const path = given.replace(/^file:/, "");
  if (existsSync(path)) return `file:${relative(folder, resolve(path))}`;
  if (given === path && !/[/\\]|\.tgz$/.test(given)) return given;
  throw new UsageError(`--framework: there is no file or folder ${visible(path)}`);
}

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly devDependencies: Readonly<Record<string, string>>;
}

const ownManifest = (): Manifest => JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));

function manifestOf(name: string, framework: string, peers: readonly string[]): object {
  const { engines, devDependencies } = ownManifest();
  const versions = (names: readonly string[]) =>
    Object.fromEntries(names.map((one) => [one, devDependencies[one]]));
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: engines.node },
    scripts: {
      dev: "framework dev src/main.ts",
      test: "node --import tsx --test src/*.test.ts",
      build: "tsc",
      start: "node dist/main.js",
    },
    dependencies: { framework, ...versions(peers) },
    devDependencies: versions(["@types/node", "tsx", "typescript"]),
  };
}

const writeJson = (file: string, value: object): void =>
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);

function nextSteps(name: string, folder: string): string {
  const place = relative("", folder);
  const steps = [
    ...(place === "" ? [] : [`cd ${/^[\w./@-]+$/.test(place) ? place : JSON.stringify(place)}`]),
    ...["npm install", "npm test", "npm run dev"],
  ];
  return `${name} is in ${folder}. Next:\n\n${steps.map((step) => `  ${step}\n`).join("")}`;
}
