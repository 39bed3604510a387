// A part of a program: its routes as a table, which knows nothing of the server that
// will mount it.

import { Axon, busKey, fault, json, ProblemDetail, param, routes, Type } from "framework";

/** Given by whoever runs the server. */
export const Notes = busKey<Map<string, string>>()("Notes");

const id = param("id");
const Note = Type.Object({ text: Type.String({ minLength: 1, maxLength: 1000 }) });

const notFound = fault(new ProblemDetail({ status: 404, code: "NO_NOTE", title: "There is no such note" }));

const list = Axon.start("list notes").thenFn("ids", (_, bus) => [...bus.get(Notes).keys()], {
  reads: [Notes],
});

const show = Axon.start("show note").thenFn(
  "find",
  (_, bus) => {
    const text = bus.get(Notes).get(bus.get(id));
    return text === undefined ? notFound : { text };
  },
  { reads: [Notes, id], responses: [notFound.error] },
);

const write = Axon.start<{ text: string }>("write note").thenFn(
  "keep",
  ({ text }, bus) => {
    bus.get(Notes).set(bus.get(id), text);
  },
  { reads: [Notes, id], responses: [{ status: 204 }] },
);

export const notes = routes({
  "GET /": list,
  "GET /:id": show,
  "PUT /:id": [write, { input: json(Note), bodyLimit: 4096 }],
});
