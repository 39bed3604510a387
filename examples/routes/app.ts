import { Framework } from "framework";

import { Notes, notes } from "./notes.js";

/** One table under two prefixes: clients of the old one go on. Without `Notes` it does not compile. */
export const app = () =>
  Framework.http({ resources: [Notes] })
    .mount(notes, "/notes")
    .mount(notes, "/v1/notes");
