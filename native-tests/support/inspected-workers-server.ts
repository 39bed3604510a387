// Workers with an Inspector: each answer says which of them gave it.

import { Axon, BearerAuth, Framework, param, Type } from "framework";

const { WORKERS = "2", TOKEN = "" } = process.env;

const Item = Type.Object({ name: Type.String(), secret: Type.Optional(Type.String()) });

const server = await Framework.http()
  .bind("127.0.0.1:0")
  .workers(Number(WORKERS))
  .drainIdle(0)
  .get(
    "/pid",
    Axon.start("pid").thenFn("pid", () => process.pid),
  )
  .get(
    "/run/:name",
    Axon.start("run").thenFn("name", (_, bus) => `${bus.get(param("name"))} ${process.pid}`, {
      reads: [param("name")],
    }),
  )
  .post(
    "/items",
    Axon.start("items", Item)
      .thenFn("take", (item) => item)
      .thenFn("keep", ({ name }) => ({ name, pid: process.pid })),
  )
  .inspector({
    enabled: true,
    port: 0,
    auth: BearerAuth.tokens({ operator: TOKEN }),
    capturePayloads: "full",
    announce: (link) => console.log(`inspector ${new URL(link).host} ${process.pid}`),
  })
  .run();

if (server.role !== "worker") console.log(`listening ${server.address}`);
