import { parseContentType } from "#core/wire/content-type.js";
import type { RawParameters, RawTree } from "#schema/compile/coercion.js";
import type { BodyStream } from "../../exchange/body-stream.js";
import { Refusal } from "../../refusal/refusal.js";
import { type Field, flatFields, treeOf } from "../form-fields.js";
import { compileFields } from "../parameters.js";
import { directoryOf, limitsOf, type MultipartOptions, namedFilesOf } from "./options.js";
import { MultipartParser } from "./parser.js";
import { malformed } from "./part-head.js";
import { Parts } from "./parts.js";

const MISSING = new Refusal("BODY_MISSING");
const NO_BOUNDARY = malformed("Its Content-Type has no boundary that can be one");

// RFC 2046, section 5.1.1.
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

interface MultipartRequest {
  readonly contentType: string;
  readonly bodyLength: number;
  readonly particulars: { readonly stream: BodyStream | null };
}

export function compileMultipart(
  options: MultipartOptions,
  owner: string,
): (request: MultipartRequest) => Promise<unknown> | Refusal {
  const limits = limitsOf(options, owner);
  const files = namedFilesOf(options, owner);
  const directory = directoryOf(options, owner);
  const readFields = fieldReader(options, owner);
  return ({ contentType, bodyLength, particulars: { stream } }) => {
    if (bodyLength === 0 || stream === null) return MISSING;
    const boundary = parseContentType(contentType)?.parameters.get("boundary") ?? "";
    if (!BOUNDARY.test(boundary)) return NO_BOUNDARY;
    const parts = new Parts({ limits, directory, files }, stream);
    const parser = new MultipartParser(boundary, limits.maxHeaderSize, parts);
    return read(stream, parser, parts).then((refusal) => refusal ?? inputOf(parts, readFields));
  };
}

/** The errors of fields and files are those of one form. */
function inputOf(parts: Parts, readFields: (fields: readonly Field[]) => unknown): unknown {
  const fields = readFields(parts.fields);
  const { errors } = parts;
  if (errors.length === 0) return fields instanceof Refusal ? fields : { fields, files: parts.files };
  const known = fields instanceof Refusal ? fields.problem : undefined;
  if (known !== undefined && known.code !== "INPUT_INVALID") return fields;
  return new Refusal("INPUT_INVALID", {
    detail: "In the form",
    errors: [...(known?.errors ?? []), ...errors],
  });
}

/** Rejects if the body is incomplete. */
async function read(stream: BodyStream, parser: MultipartParser, parts: Parts): Promise<Refusal | undefined> {
  for await (const piece of stream) {
    const refusal = parser.write(piece);
    if (refusal !== undefined) return refusal;
    try {
      await parts.store();
    } catch (error) {
      stream.failToStore(error);
      throw error;
    }
  }
  return parser.end();
}

function fieldReader({ schema }: MultipartOptions, owner: string): (fields: readonly Field[]) => unknown {
  if (schema === undefined) return flatFields satisfies (fields: readonly Field[]) => RawParameters | Refusal;
  const readTree: (tree: RawTree) => unknown = compileFields(schema, `${owner}, multipart()`);
  return (fields) => {
    const tree = treeOf(fields);
    return tree instanceof Refusal ? tree : readTree(tree);
  };
}
