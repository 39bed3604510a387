// What the arms of the offload suites run in threads.

export const double = (n) => 2 * n;

export const spin = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
  return ms;
};
