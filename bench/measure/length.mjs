/**
 * How long to measure, by the options of a command line. Seconds are undefined where each suite has
 * its own. Throws for what is no positive number.
 */
export function lengthOf({ rounds, seconds, short }) {
  const [usualRounds, usualSeconds] = short ? [2, 0.2] : [7, undefined];
  return {
    short: short ?? false,
    rounds: rounds === undefined ? usualRounds : positive("--rounds", rounds, Number.isSafeInteger),
    seconds: seconds === undefined ? usualSeconds : positive("--seconds", seconds, Number.isFinite),
  };
}

function positive(option, text, isFit) {
  const value = Number(text);
  if (isFit(value) && value > 0) return value;
  throw new Error(`${option} ${text}: use a positive number`);
}
