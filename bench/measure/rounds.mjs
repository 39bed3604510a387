// Side by side: every contender in every round, in reversed order each other
// round, so that a machine that slows down slows all of them alike. What counts is
// the ratio within a round, never a figure of one round against one of another.

import { median, spread } from "./median.mjs";
import { isTooWide } from "./quiet.mjs";

/** How many times the rounds that were asked for there are at most, for a narrow control. */
const MOST = 4;

/**
 * Answers the measurements of each contender, a list by round. The second is the control of the
 * first: while the two differ by more than 3 % there are further rounds.
 */
export async function measureInRounds(contenders, { rounds, short = false }, onRound) {
  const measured = contenders.map(() => []);
  const most = short ? rounds : rounds * MOST;
  for (let round = 0; round < most; round += 1) {
    if (round >= rounds && !isTooWide(ratioOf(measured[1], measured[0]))) break;
    const order = [...contenders.keys()];
    if (round % 2 === 1) order.reverse();
    for (const i of order) measured[i].push(await contenders[i].measure());
    onRound(round + 1);
  }
  return measured;
}

/** The ratios of two contenders, round by round, as median, least and greatest. */
export const ratioOf = (measured, base) =>
  spread(measured.map(({ figure }, round) => figure / base[round].figure));

export const medianFigure = (measured) => median(measured.map(({ figure }) => figure));
