const MAX_LENGTH = 80;

/** A value of a token as those who watch are shown it: short, in JSON. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text;
};
