// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/thumbnails/main.ts

import { FrameworkConfig } from "framework";

import { app } from "./app.js";

const server = await app().bind("127.0.0.1:0").config(FrameworkConfig.load()).run();

/** The time that 99 of 100 requests of /live keep below, while `path` seals pictures, one after the other. */
async function liveP99(path: string | undefined): Promise<number> {
  let isOver = false;
  const sealing = async (): Promise<void> => {
    while (path !== undefined && !isOver)
      await (await fetch(`${server.url}${path}`, { method: "POST", body: new Uint8Array(4096) })).text();
  };
  const sealed = sealing();
  const times: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    const began = performance.now();
    await (await fetch(`${server.url}/live`)).text();
    times.push(performance.now() - began);
  }
  isOver = true;
  await sealed;
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

for (const [what, path] of [
  ["warming up", "/seals"],
  ["idle", undefined],
  ["sealing in a thread", "/seals"],
  ["sealing on the event loop", "/seals-inline"],
] as const)
  console.log(`/live, ${what}: ${(await liveP99(path)).toFixed(1)} ms`);
await server.close();
