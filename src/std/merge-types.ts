// The type of an object put over another. Of a property that the patch may leave out,
// either side's value may come through.

type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

type Flat<T> = { [K in keyof T]: T[K] };

export type Merged<Under, Over> = Flat<
  Omit<Under, keyof Over> &
    Omit<Over, keyof Under & OptionalKey<Over>> & {
      [K in keyof Under & OptionalKey<Over>]: Under[K] | Required<Over>[K];
    }
>;

export type MergedDeep<Under, Over> = Flat<
  Omit<Under, keyof Over> &
    Omit<Over, keyof Under> & {
      [K in keyof Under & keyof Over]: K extends OptionalKey<Over>
        ? Under[K] | Value<Under[K], Required<Over>[K]>
        : Value<Under[K], Over[K]>;
    }
>;

/** What is replaced as a whole. Instances of other classes are too, which types cannot tell from plain objects. */
type Whole =
  | readonly unknown[]
  | ((...args: never) => unknown)
  | Date
  | RegExp
  | Error
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>;

type Value<Under, Over> = Over extends Whole
  ? Over
  : Under extends Whole
    ? Over
    : Over extends object
      ? Under extends object
        ? MergedDeep<Under, Over>
        : Over
      : Over;
