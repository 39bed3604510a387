// Whether the declarations of the package compile where they are installed: each entry of the
// package imported, by three compilers, with the strictest settings that a project may have.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { installed } from "./own-packages.mjs";

/** The fastest first: each of the older ones takes five seconds of a core. */
const COMPILERS = [
  ["typescript", "nodenext"],
  ["typescript", "bundler"],
  ["typescript-5.9", "bundler"],
  ["typescript-5.5", "nodenext"],
];

/** Compiles the declarations of a tarball in a project with its dependencies and no optional peer. Throws the first errors. */
export function compileTarball(tarball) {
  const project = mkdtempSync(join(tmpdir(), "framework-declarations-"));
  try {
    const folder = join(project, "node_modules/framework");
    mkdirSync(folder, { recursive: true });
    spawnSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"], { stdio: "inherit" });
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifestIn(project);
    const required = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys(dependencies), ...required]) {
      const link = join(project, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(resolve("node_modules", name), link);
    }
    for (const [name, resolution] of COMPILERS) compileEntries(project, name, resolution);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Compiles an import of each entry in a project that has the package installed. Throws the first errors. */
export function compileEntries(project, compiler, moduleResolution) {
  const names = Object.keys(manifestIn(project).exports).filter((name) => !name.endsWith(".json"));
  const imports = names.map((name, n) => `export * as e${n} from "framework${name.slice(1)}";\n`);
  writeFileSync(join(project, "entries.mts"), imports.join(""));
  const compilerOptions = {
    ...{ module: moduleResolution === "bundler" ? "esnext" : moduleResolution, moduleResolution },
    ...{ target: "es2022", lib: ["es2022"], types: [], noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
    // A declaration that imports "#..." compiles in no project that copies or links the files alone.
    resolvePackageJsonImports: false,
  };
  const config = join(project, "tsconfig.entries.json");
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ["entries.mts"] }));
  const folder = join(compiler === "typescript" ? "." : installed("compilers"), "node_modules", compiler);
  const { status, stdout } = spawnSync(process.execPath, [resolve(folder, "bin/tsc"), "-p", config], {
    cwd: project,
    encoding: "utf8",
  });
  if (status !== 0)
    throw new Error(`With ${compiler} and ${moduleResolution} the declarations do not compile:\n${stdout}`);
}

const manifestIn = (project) =>
  JSON.parse(readFileSync(join(project, "node_modules/framework/package.json"), "utf8"));
