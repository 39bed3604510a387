// Two copies of this package in one process (an application's and a plug-in's) must agree on
// Controls, errors and the slots of keys. These values live under a registered symbol and are made
// by the copy that loads first.

/** The value that all copies of the package share under `name`. Only the first copy calls `make`. */
export function interned<T>(name: string, make: () => T): T {
  const symbol = Symbol.for(`framework.${name}.1`);
  const shared = globalThis as unknown as Record<symbol, T | undefined>;
  shared[symbol] ??= make();
  return shared[symbol];
}
