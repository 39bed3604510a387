// Host names of the DNS (RFC 1123, section 2.1): letters, digits and hyphens. Labels with the
// prefix `xn--` are checked by IDNA 2008 (RFC 5890 to 5893).

import { domainToUnicode } from "node:url";

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Letters, digits and hyphens in labels of at most 63; at most 253 characters, no dot at the end. */
export const isHostLabels = (value: string): boolean =>
  value.length <= 253 && value.split(".").every((label) => LABEL.test(label));

export const isHostname = (value: string): boolean =>
  isHostLabels(value) && value.split(".").every((label) => !/^xn--/i.test(label) || isALabel(label));

// RFC 5892: letters, digits and marks, without old Hangul and the exceptions of section 2.6. ZWNJ,
// ZWJ and text direction are checked when a label is decoded.
const ALLOWED =
  /^(?:(?![\p{Default_Ignorable_Code_Point}\u0640\u07fa\u1100-\u11ff\u302e\u302f\u3031-\u3035\u303b\ua960-\ua97f\ud7b0-\ud7ff])[-\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u06fd\u06fe\u0f0b\u3007]|[\u00b7\u0375\u05f3\u05f4\u30fb\p{Join_Control}])+$/u;
/** Characters without the context that they require: RFC 5892, appendices A.3 to A.9. */
const MISPLACED =
  /(?<!l)\u00b7|\u00b7(?!l)|\u0375(?!\p{Script=Greek})|(?<!\p{Script=Hebrew})[\u05f3\u05f4]|[\u0660-\u0669].*[\u06f0-\u06f9]|[\u06f0-\u06f9].*[\u0660-\u0669]/u;
const KATAKANA_DOT = /^(?!.*[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]).*\u30fb/u;

function isALabel(label: string): boolean {
  // Empty for a label that is not Punycode of normalised text (RFC 5891, section 4.4).
  const decoded = domainToUnicode(label);
  return (
    /[^\0-\x7f]/.test(decoded) &&
    decoded.slice(2, 4) !== "--" &&
    ALLOWED.test(decoded) &&
    !MISPLACED.test(decoded) &&
    !KATAKANA_DOT.test(decoded)
  );
}
