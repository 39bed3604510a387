// What `framework fuzz` drives: the yacht club, and who comes to it.

import { club } from "./auth.js";

const bearing = (token: string) => ({
  headers: { authorization: `Bearer ${token}` },
  cookies: { club: token },
});

export const ingress = club;

export const identities = {
  treasurer: { roles: ["member", "treasurer"], ...bearing("t-morag") },
  member: { roles: ["member"], ...bearing("t-euan") },
};
