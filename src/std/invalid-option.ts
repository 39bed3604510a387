// The neighbours here say it so; src/identity, which may not import std, says #core.
export { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
