// Water levels at the piers of a harbour, as they are measured, for pages that stay open.

import { Axon, EventChannel, Framework, html, type Static, Type } from "framework";

import { page } from "./page.js";

const Level = Type.Object({ pier: Type.String({ maxLength: 40 }), cm: Type.Integer() });
type Level = Static<typeof Level>;
const Wanted = Type.Object({ pier: Type.Optional(Type.String()) });

export function harbour() {
  const latest = new Map<string, Level>();
  const levels = new EventChannel({ name: "levels", schema: Level });

  const listen = Axon.start("levels", Wanted).thenFn("listen", ({ pier }) => {
    const isWanted = (of: string): boolean => pier === undefined || of === pier;
    return levels.subscribe({
      filter: ({ topic }) => isWanted(topic),
      // How things are at the moment: a page that opens does not wait for the next tide.
      first: () =>
        [...latest.values()]
          .filter((level) => isWanted(level.pier))
          .map((data) => ({ event: "level", data })),
    });
  });

  return {
    levels,
    measured(level: Level): void {
      latest.set(level.pier, level);
      levels.publish({ event: "level", topic: level.pier, data: level });
    },
    ingress: Framework.http()
      .sse("/levels", listen, { summary: "Water levels as they are measured" })
      .get(
        "/",
        Axon.start("page").thenFn("show", () => html(page)),
      ),
  };
}
