import type { Fault } from "#core/outcome.js";
import { checkedValue, pointerTo } from "./checked-field.js";
import { invalidOption } from "./invalid-option.js";
import { type NodeFault, nodeFault } from "./node-fault.js";

type Having<In, Field extends keyof In> = In & { readonly [K in Field]-?: NonNullable<In[K]> };

/** Lets an object pass whose fields are there: own properties, neither undefined nor null. Behind it their types say so. */
export class RequiredNode<In extends object, const Field extends keyof In & string> {
  readonly name = "RequiredNode";
  readonly description: string;
  readonly #fields: readonly Field[];

  constructor(...fields: readonly Field[]) {
    if (fields.length === 0) throw invalidOption("RequiredNode()", "name at least one field");
    this.description = fields.join(", ");
    this.#fields = fields;
  }

  run(input: In): Having<In, Field> | Fault<NodeFault<"FIELD_MISSING">> {
    const missing = this.#fields.filter((field) => (checkedValue(input, field) ?? null) === null);
    if (missing.length === 0) return input as Having<In, Field>;
    const errors = missing.map((field) => ({
      pointer: pointerTo(field),
      keyword: "required",
      expected: "this property",
    }));
    return nodeFault("FIELD_MISSING", { errors });
  }
}
