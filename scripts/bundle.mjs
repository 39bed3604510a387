// Bundles src to a file for each export and for what several share: Node.js loads
// the hundred modules of src in 55 ms one by one, and in 11 so.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

/**
 * Packages that are copied into the bundles (decision 0015): as 266 modules TypeBox takes
 * 65 ms to load, in the bundle 5.
 */
const COPIED = ["@sinclair/typebox"];

/** Modules that threads start with. */
const THREADS = ["./src/pool/entry.js", "./src/store/sqlite-thread.ts"];

const external = {
  name: "external",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^.#/]/ }, ({ kind, path }) =>
      kind === "entry-point" || COPIED.some((name) => path === name || path.startsWith(`${name}/`))
        ? undefined
        : { path, external: true },
    ),
};

/** Writes the bundles of the package in the working directory. Resolves to what esbuild says of them. */
export async function bundle(outdir) {
  const { bin, exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const commands = Object.values(bin).map((file) =>
    file.replace("./dist/", "./src/").replace(/\.js$/, ".ts"),
  );
  const { metafile } = await build({
    entryPoints: [
      ...Object.values(exports).flatMap((one) => one["framework-source"] ?? []),
      ...commands,
      ...THREADS,
    ],
    outbase: "src",
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: "shared/[hash]",
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [external],
    conditions: ["framework-source"],
    sourcemap: true,
    logLevel: "warning",
    metafile: true,
  });
  writeFileSync(join(outdir, "copied-packages.txt"), COPIED.map(licenseOf).join("\n"));
  return metafile;
}

/** Its licence asks to be where copies of it are. */
function licenseOf(name) {
  const folder = join("node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(folder, "license"), "utf8")}`;
}
