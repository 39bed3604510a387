// A form as browsers send it without a file.

import { Axon, Framework, form, type Static, Type } from "framework";

const Signup = Type.Object({
  name: Type.String({ minLength: 1 }),
  age: Type.Integer({ minimum: 18 }),
  /** One checkbox or several: `day=1&day=3`, or `day[]=1&day[]=3`. */
  day: Type.Optional(Type.Array(Type.Integer())),
  /** `home[port]=Oban&home[pier]=2` */
  home: Type.Optional(Type.Object({ port: Type.String(), pier: Type.Integer() })),
});

const signUp = Axon.start<Static<typeof Signup>>("sign-up").thenFn("sign up", (person) => person);

export const club = () => Framework.http().post("/members", signUp, { input: form(Signup) });
