// The service of session-app.ts as a program.

import { sessionApp } from "./session-app.js";

export const ingress = () => sessionApp().ingress.bind("127.0.0.1:0");
