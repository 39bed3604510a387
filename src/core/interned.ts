// Two copies of this package in one process (an application's and a plug-in's) must agree on
// what a Control and an error are and on which slot a key has: these few values live under a
// registered symbol, made by whichever copy loads first.

/** The value every copy of the package shares under `name`; `make` runs in the first copy only. */
export function interned<T>(name: string, make: () => T): T {
  const symbol = Symbol.for(`framework.${name}.1`);
  const shared = globalThis as unknown as Record<symbol, T | undefined>;
  shared[symbol] ??= make();
  return shared[symbol];
}
