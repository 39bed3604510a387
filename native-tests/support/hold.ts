/** Computes, by the time of the processor, which a busy machine does not give at once. */
export const hold = (ms: number): void => {
  const begun = process.cpuUsage();
  for (let us = 0; us < ms * 1000; ) {
    const { user, system } = process.cpuUsage(begun);
    us = user + system;
  }
};
