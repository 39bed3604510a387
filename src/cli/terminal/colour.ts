import { styleText } from "node:util";

import type { Surroundings } from "./command.js";

export type Colour = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

/** Colours a text for `out`. Returns it unchanged without a terminal or if NO_COLOR is set. */
export type Painter = (colour: Colour, text: string) => string;

export const painter = ({ hasColour = false }: Surroundings): Painter =>
  hasColour
    ? // `main` has looked at the stream.
      (colour, text) => styleText(colour, text, { validateStream: false })
    : (_colour, text) => text;
