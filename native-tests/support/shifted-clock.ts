// Puts the clock of this process forward or back. The store has a clock of its own, and timers keep theirs.

const RealDate = Date;
let offsetMs = Number(process.env["CLOCK_MS"] ?? 0);

export const shiftClock = (ms: number): void => {
  offsetMs = ms;
};

globalThis.Date = new Proxy(RealDate, {
  construct: (of, args, target) =>
    Reflect.construct(of, args.length === 0 ? [RealDate.now() + offsetMs] : args, target),
  get: (of, name) => (name === "now" ? () => RealDate.now() + offsetMs : Reflect.get(of, name)),
});
