import { Axon, Framework, Type } from "../../dist/index.js";
import { host, port } from "../servers/arguments.mjs";

const Note = Type.Object({ title: Type.String({ minLength: 1 }), tags: Type.Array(Type.String()) });

const hello = Axon.start("hello").thenFn("greet", () => "ok");
const note = Axon.start("note", Note).thenFn("echo", (input) => input);

await Framework.http().get("/", hello).post("/notes", note).bind(`${host}:${port}`).run();
