// Routes that share a prefix, its parameters, guards and limits; and what serves the rest.

import { Axon, authorize, Framework, header, json, param, RequestPath, respond, Type } from "framework";

const Note = Type.Object({ text: Type.String({ maxLength: 500 }) });

const addNote = Axon.start<{ text: string }>("add-note").thenFn(
  "add",
  ({ text }, bus) => respond({ status: 201, body: { pier: bus.get(param("pier")), text } }),
  { reads: [param("pier")] },
);
const showPier = Axon.start("show-pier").thenFn("show", (_, bus) => ({ pier: bus.get(param("pier")) }), {
  reads: [param("pier")],
});
const lost = Axon.start("lost").thenFn("lost", (_, bus) => `Nothing moors at ${bus.get(RequestPath)}`, {
  reads: [RequestPath],
});

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
