import { ManualClock, MemoryLocks } from "framework/runtime";
import { lockProviderContract } from "../contracts/lock-provider.js";

lockProviderContract("memory", () => {
  const clock = new ManualClock();
  return { locks: new MemoryLocks({ clock }), pass: (ms) => clock.advance(ms) };
});
