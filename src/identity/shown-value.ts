const MAX_LENGTH = 80;

/** A value of a token for logs: short, as JSON. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text;
};
