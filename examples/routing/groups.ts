// Routes that share a prefix, its parameters, guards and limits; and what serves the rest.

import { Axon, authorize, Framework, header, json, param, RequestPath, respond, Type } from "framework";

const Note = Type.Object({ text: Type.String({ maxLength: 500 }) });

const addNote = Axon.start<{ text: string }>("add-note").thenFn(
  "add",
  { uses: { pier: param("pier") }, responses: [{ status: 201 }] },
  ({ text }, bus) => respond({ status: 201, body: { pier: bus.pier, text } }),
);
const showPier = Axon.start("show-pier").thenFn("show", { uses: { pier: param("pier") } }, (_, bus) => ({
  pier: bus.pier,
}));
const lost = Axon.start("lost").thenFn(
  "lost",
  { uses: { path: RequestPath } },
  (_, bus) => `Nothing moors at ${bus.path}`,
);

const masterOnly = authorize((bus) => bus.find(header("x-role")) === "harbour-master", {
  name: "master-only",
  mayRead: [header("x-role")],
});

export const piers = () =>
  Framework.http()
    .group("/piers/:pier", { tags: ["piers"] }, (pier) =>
      pier
        .get("/", showPier)
        .group("/notes", { layers: [masterOnly], bodyLimit: 1000 }, (notes) =>
          notes.post("/", addNote, { input: json(Note) }),
        ),
    )
    .fallback(lost);
