import { ManualClock, MemoryLocks } from "framework/runtime";
import { lockProviderContract } from "framework/testing/contracts";

lockProviderContract("memory", () => {
  const clock = new ManualClock();
  return { locks: new MemoryLocks({ clock }), pass: (ms) => clock.advance(ms) };
});
