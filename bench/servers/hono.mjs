import { serve } from "@hono/node-server";
import { Hono } from "hono";

import { greeting, plaintext } from "../subjects/greeting.mjs";
import { host, port, ready } from "./arguments.mjs";

const app = new Hono();
app.get("/", (context) => context.text(plaintext));
app.get("/json", (context) => context.json(greeting()));
serve({ fetch: app.fetch, hostname: host, port }, ready);
