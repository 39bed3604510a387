// A part of a program: its routes as a table, which knows nothing of the server that
// will mount it.

import { Axon, busKey, fault, json, ProblemDetail, param, routes, Type } from "framework";

/** Given by whoever runs the server. */
export const Notes = busKey<Map<string, string>>()("Notes");

const id = param("id");
const Note = Type.Object({ text: Type.String({ minLength: 1, maxLength: 1000 }) });

const notFound = fault(new ProblemDetail({ status: 404, code: "NO_NOTE", title: "There is no such note" }));

const list = Axon.start("list notes").thenFn("ids", { uses: { notes: Notes } }, (_, bus) => [
  ...bus.notes.keys(),
]);

const show = Axon.start("show note").thenFn(
  "find",
  { uses: { notes: Notes, id }, responses: [notFound.error] },
  (_, bus) => {
    const text = bus.notes.get(bus.id);
    return text === undefined ? notFound : { text };
  },
);

const write = Axon.start<{ text: string }>("write note").thenFn(
  "keep",
  { uses: { notes: Notes, id }, responses: [{ status: 204 }] },
  ({ text }, bus) => {
    bus.notes.set(bus.id, text);
  },
);

export const notes = routes({
  "GET /": list,
  "GET /:id": show,
  "PUT /:id": [write, { input: json(Note), bodyLimit: 4096 }],
});
