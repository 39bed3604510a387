import type { SchematicOptions } from "../draw/schematic-of.js";
import type { AnyAxon } from "./axon-types.js";

/** An Axon's Schematic as the text of a file: the same code gives the same bytes, on any machine. */
export const exportSchematic = (axon: AnyAxon, options: SchematicOptions = {}): string =>
  `${JSON.stringify(axon.schematic(options), null, 2)}\n`;
