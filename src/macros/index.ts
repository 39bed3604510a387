export { transition } from "#core/flow/transition.js";
export { routes } from "./routes.js";
