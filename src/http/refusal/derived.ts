/** A derived object with other properties. Getters of its class read the original's private fields. */
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
