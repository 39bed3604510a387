import { parseContentType } from "#core/content-type.js";
import type { RawParameters, RawTree } from "#schema/coercion.js";
import { type Field, flatFields, treeOf } from "../form-fields.js";
import type { BodyStream } from "../native/body-stream.js";
import { compileFields } from "../parameters.js";
import { Refusal } from "../refusal.js";
import { malformed } from "./malformed.js";
import { directoryOf, limitsOf, type MultipartOptions } from "./options.js";
import { MultipartParser } from "./parser.js";
import { Parts } from "./parts.js";

const MISSING = new Refusal("BODY_MISSING");
const NO_BOUNDARY = malformed("Its Content-Type has no boundary that can be one");

// RFC 2046, section 5.1.1: 1 to 70 characters, the last of them no space.
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

interface MultipartRequest {
  readonly contentType: string;
  readonly bodyLength: number;
  readonly particulars: { readonly stream: BodyStream | null };
}

/** What a request's multipart body holds, or why it is refused. */
export function compileMultipart(
  options: MultipartOptions,
  owner: string,
): (request: MultipartRequest) => Promise<unknown> | Refusal {
  const limits = limitsOf(options, owner);
  const directory = directoryOf(options, owner);
  const readFields = fieldReader(options, owner);
  return ({ contentType, bodyLength, particulars: { stream } }) => {
    if (bodyLength === 0 || stream === null) return MISSING;
    const boundary = parseContentType(contentType)?.parameters.get("boundary") ?? "";
    if (!BOUNDARY.test(boundary)) return NO_BOUNDARY;
    const parts = new Parts(limits, directory, (discard) => stream.whenReleased(discard));
    const parser = new MultipartParser(boundary, limits.maxHeaderSize, parts);
    return read(stream, parser, parts).then((refusal) => {
      const fields = refusal ?? readFields(parts.fields);
      return fields instanceof Refusal ? fields : { fields, files: parts.files };
    });
  };
}

/** Answers why the body is refused. Rejects where it is cut short. */
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
