// The API as a program without types calls it.

import { TestApp } from "framework/http";

export const untyped = (ingress: unknown) =>
  ingress as {
    get(...args: unknown[]): any;
    post(...args: unknown[]): any;
    route(...args: unknown[]): any;
    mount(...args: unknown[]): any;
    group(...args: unknown[]): any;
    guard(...args: unknown[]): any;
    layer(...args: unknown[]): any;
    fallback(...args: unknown[]): any;
    healthCheck(...args: unknown[]): any;
    provide(...args: unknown[]): any;
    plan: any;
  };

export const untypedApp = (ingress: unknown, resources?: unknown): TestApp<never> =>
  new (TestApp as any)(ingress, resources);
