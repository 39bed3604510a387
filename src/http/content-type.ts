// Content-Type as RFC 9110, section 8.3.1 writes it, as far as a JSON body needs it.
const JSON_TYPE = /^application\/(?:[!#$%&'*+\-.^_`|~0-9a-z]+\+)?json$/;
const CHARSET = /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/;

/** Whether a body of this type is read as JSON in UTF-8. */
export function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  if (!JSON_TYPE.test(type.trim())) return false;
  const charsets = parameters.flatMap((parameter) => CHARSET.exec(parameter)?.[1] ?? []);
  return charsets.every((charset) => charset === "utf-8" || charset === "utf8");
}
