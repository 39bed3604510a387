// Compiled, never run: the JSON Schema of a Schematic and its type say the same.
import type { Static } from "@sinclair/typebox";

import type { Schematic, SchematicNode } from "#core/flow/schematic.js";
import type { SchematicSchema } from "#runtime/draw/schematic-schema.js";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

/** TypeBox's types can be written to; the level inside a Subgraph is compared as the one around it. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? {
        readonly [K in keyof T]: K extends "schema" | "input_schema" | "output_schema" | "schematic"
          ? T[K]
          : Frozen<T[K]>;
      }
    : T;

type Written = Frozen<Static<typeof SchematicSchema>>;
type WrittenNode = Omit<Written["nodes"][number], "schematic">;

yes<Is<WrittenNode, Omit<SchematicNode, "schematic">>>();
yes<Is<keyof Written["nodes"][number], keyof SchematicNode>>();
yes<Is<Omit<Written, "nodes">, Omit<Schematic, "nodes">>>();
yes<Is<keyof Written, keyof Schematic>>();
// @ts-expect-error a kind of edge that no Schematic has
yes<Is<"Fault", Written["edges"][number]["kind"]>>();
