// What the tests of the configuration start as a program of its own: a server that has
// nothing but what FrameworkConfig.load() says.

import { Axon, Framework, FrameworkConfig } from "framework";

const server = await Framework.http()
  .config(FrameworkConfig.load())
  .get(
    "/",
    Axon.start("hello").thenFn("hello", () => "hello"),
  )
  .run();

console.log(`listening ${server.address}`);
