// Bundles src to a file for each export and for what several share: decision 0015 has what
// loading costs.

import { readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

import { rolldown } from "rolldown";

/**
 * Packages that are copied into the bundles (decision 0015): as 266 modules TypeBox takes
 * 65 ms to load, in the bundle 5.
 */
const COPIED = ["@sinclair/typebox"];

/** Modules that threads and processes start with. */
export const STARTS = [
  "./src/cli/command-line.ts",
  "./src/cli/commands/bench-process.ts",
  "./src/cli/commands/dev-hook.js",
  "./src/cli/commands/fuzz-process.ts",
  "./src/pool/entry.js",
  "./src/store/postgres/lease-thread.ts",
  "./src/store/sqlite/sqlite-thread.ts",
];

const isExternal = (id) =>
  /^[^.#/]/.test(id) && !COPIED.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * What every program loads is two files: an import of a file costs half a millisecond, and
 * the facade had come to 87 of them. Whatever else two entries share has files of its own.
 */
const groups = [
  { name: "threads", test: /\/src\/store\/threads\/silent-beats\.ts$/, priority: 3 },
  { name: "runtime", test: /\/src\/(core|macros|runtime)\/(?!index|testing\/)/, priority: 2 },
  { name: "server", test: /\/src\/index\.ts$/, priority: 1 },
];

/**
 * The bundler takes calls of built-in functions for pure and drops those whose result is unused,
 * `try { decodeURIComponent(text) }` among them. Only both settings together keep them (+1.6 % of size).
 */
export const KEEPS_CALLS = { input: { treeshake: false }, output: { minify: false } };

/**
 * Every file imports the bundler's helpers then, most without a use: threads begin with one file.
 * The line stays, so that source maps stay true.
 */
const withoutUnusedHelpers = {
  name: "without-unused-helpers",
  renderChunk: (code) => ({ code: code.replace(/^import "[^"]*rolldown-runtime[^"]*";$/m, ""), map: null }),
};

/**
 * Writes the bundles of the package in the working directory. Resolves to their names, modules and imports.
 *
 * @param options.sourcemap writes source maps beside them
 */
export async function bundle(outdir, { sourcemap = false } = {}) {
  const { bin, exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const commands = Object.values(bin).map((file) =>
    file.replace("./dist/", "./src/").replace(/\.js$/, ".ts"),
  );
  const entries = [
    ...Object.values(exports).flatMap((one) => one["framework-source"] ?? []),
    ...commands,
    ...STARTS,
  ];
  const build = await rolldown({
    input: Object.fromEntries(entries.map((file) => [file.replace(/^\.\/src\/|\.[jt]s$/g, ""), file])),
    platform: "node",
    external: isExternal,
    resolve: { conditionNames: ["framework-source", "import", "node", "default"] },
    preserveEntrySignatures: "allow-extension",
    logLevel: "warn",
    plugins: [withoutUnusedHelpers],
    ...KEEPS_CALLS.input,
  });
  const { output } = await build.write({
    dir: outdir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name]-[hash].js",
    codeSplitting: { groups },
    sourcemap,
    ...KEEPS_CALLS.output,
  });
  await build.close();
  writeFileSync(join(outdir, "copied-packages.txt"), COPIED.map(licenseOf).join("\n"));
  const chunks = output.filter(({ type }) => type === "chunk");
  return chunks.map(({ code, fileName, moduleIds, imports }) => ({
    name: fileName,
    modules: moduleIds.map((id) => relative(process.cwd(), id)),
    imports: imports.filter((name) => code.includes(`${basename(name)}"`)),
  }));
}

/** Its licence asks to be where copies of it are. */
function licenseOf(name) {
  const folder = join("node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(folder, "license"), "utf8")}`;
}
