/** Returns an object that inherits from `thing`, with other properties. Getters still read the private fields of `thing`. */
export function derived<T extends object>(
  thing: T,
  properties: { readonly [K in keyof T]?: T[K] | undefined },
): T {
  const own: PropertyDescriptorMap = Object.create(null);
  for (let at = thing; at !== Object.prototype && at !== null; at = Object.getPrototypeOf(at))
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (get !== undefined) own[name] ??= { get: () => thing[name as keyof T] };
  for (const [name, value] of Object.entries(properties)) own[name] = { value };
  return Object.create(thing, own);
}
