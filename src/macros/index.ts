export { transition } from "#core/transition.js";
export { routes } from "./routes.js";
