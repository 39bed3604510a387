import { measureInRounds } from "./rounds.mjs";

/**
 * Measures what a suite lists, side by side. The first arm runs twice: what the
 * second of the two shows beside 1 is noise. Answers the arms with their
 * measurements by round.
 */
export async function runSuite({ arms, open, seconds = 1 }, given) {
  const options = { ...given, seconds: given.seconds ?? seconds };
  const [first, ...others] = arms;
  const contenders = [first, { ...first, name: `${first.name} (control)`, original: first }, ...others];
  return measureArms(
    contenders.map((arm) => ({ name: arm.name, open: () => open(arm.original ?? arm, options) })),
    options,
  );
}

/** Opens all, measures them in rounds, and closes them whatever happens. */
export async function measureArms(arms, { rounds, short, progress }) {
  const probes = [];
  try {
    for (const arm of arms) {
      progress(`preparing ${arm.name}`);
      probes.push(await arm.open());
    }
    const measured = await measureInRounds(probes, { rounds, short }, (round) =>
      progress(round <= rounds ? `round ${round} of ${rounds}` : `round ${round}: the control is too wide`),
    );
    return arms.map(({ name }, i) => ({ name, measured: measured[i] }));
  } finally {
    for (const probe of probes) await probe.close();
  }
}
