import { FrameworkError } from "#core/errors.js";

export const configInvalid = (message: string): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", message);

export const routeInvalid = (message: string): FrameworkError => new FrameworkError("ROUTE_INVALID", message);
