// Says why no binary of the native server loads, and what to do about it.

/** A package that could not be loaded. */
export interface FailedBinary {
  readonly cause: unknown;
  /** "@uwsjs/linux-x64-20@20.51.4"; undefined if it is not installed. */
  readonly source: string | undefined;
}

/** The machine, as far as it decides which binary loads. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  /** Undefined with musl. */
  readonly glibc: string | undefined;
}

const GLIBC_NEEDED = /version `GLIBC_([\d.]+)' not found/;

/** `packages` are those that are known, one for each version of Node.js. */
export function unavailable(
  failed: readonly FailedBinary[],
  packages: readonly string[],
  machine: Machine = thisMachine(),
): string {
  const { node, platform, glibc } = machine;
  const [major] = node.split(".");
  const isOwn = (source: string): boolean => majorOf(source) === undefined || majorOf(source) === major;
  const installed = failed.flatMap(({ cause, source }) =>
    source !== undefined && isUnloadable(cause) ? [{ source, message: cause.message }] : [],
  );
  const own = installed.find(({ source }) => isOwn(source));
  if (own !== undefined) {
    const needed = GLIBC_NEEDED.exec(own.message)?.[1];
    if (needed === undefined)
      return `The native server ${own.source} does not load with Node.js ${node}: ${own.message}. Remove its folder from node_modules, and run \`npm install\` with this Node.js`;
    const older = packages.flatMap((source) => majorOf(source) ?? []).filter((other) => Number(other) < 24);
    return `The native server for Node.js ${major} needs glibc ${needed}, and this system has ${glibc ?? "none"}: run Node.js ${older.join(" or ")} and install the packages with it, or a system with glibc ${needed} or newer (Debian 13, Ubuntu 24.04)`;
  }
  const [other] = installed;
  if (other !== undefined && packages.some((source) => majorOf(source) === major))
    return `The packages were installed with Node.js ${majorOf(other.source)}, whose native server does not load with Node.js ${node}: run \`npm install\` with this Node.js`;
  const repackaged = packages.find((source) => majorOf(source) === major);
  const command =
    platform === "linux-x64" && repackaged !== undefined
      ? `npm install uWebSockets.js@npm:${repackaged}`
      : "npm install uNetworking/uWebSockets.js#v20.51.0";
  return `No binary of the native server for ${platform}, Node.js ${node}: run \`${command}\`. It needs glibc (not musl), 2.38 or newer for Node.js 24 and up`;
}

const isUnloadable = (cause: unknown): cause is Error =>
  cause instanceof Error && (cause as NodeJS.ErrnoException).code === "ERR_DLOPEN_FAILED";

/** The version of Node.js that a repackaged binary is for; undefined for upstream's package, which has one for each. */
const majorOf = (source: string): string | undefined =>
  /^@uwsjs\/[a-z0-9]+-[a-z0-9]+-(\d+)@/.exec(source)?.[1];

function thisMachine(): Machine {
  const { header } = process.report.getReport() as {
    readonly header: { readonly glibcVersionRuntime?: string };
  };
  return {
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    glibc: header.glibcVersionRuntime,
  };
}
