/** The place of a value in a circuit. */
export interface NodePlace {
  readonly circuit: string;
  /** The node's id in the Schematic. */
  readonly node: string;
}
