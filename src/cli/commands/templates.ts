export interface Template {
  readonly about: string;
  /** Optional peers of this package that its projects depend on. */
  readonly peers: readonly string[];
}

/** By the names of their folders in examples/templates. */
export const templates: ReadonlyMap<string, Template> = new Map([
  ["api", { about: "books: bodies, paths, queries, a role, a list", peers: [] }],
  [
    "worker",
    {
      about: "forecasts: runs that are kept, work in threads, results that are read later",
      peers: ["libsql"],
    },
  ],
  ["bookings", { about: "a clinic: double bookings, retries, what is undone, dead letters", peers: [] }],
  ["static", { about: "a page, and the API that it asks", peers: [] }],
]);

/** One line for each template. */
export const templateList = [...templates]
  .map(([name, { about }]) => `      ${name.padEnd(8)}  ${about}\n`)
  .join("");
