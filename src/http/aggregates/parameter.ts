/** A schema of OpenAPI 3.0, as far as parameters need one. */
export interface ParameterSchema {
  readonly type: 'string' | 'integer' | 'boolean' | 'array';
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: string | number | boolean;
  readonly items?: ParameterSchema;
}

/** A parameter of a route, as it is described and as it is read. */
export interface Parameter<T> {
  readonly in: 'path' | 'query';
  readonly description: string;
  /** The items of a list are separated by commas (`style: form`, `explode: false`); the parameter may also be given several times. */
  readonly schema: ParameterSchema;
  /** It takes all that is left of the path, slashes included. */
  readonly takesRest?: true;
  /** Its value of the text, decoded, which is undefined where it is absent. Else BAD_USER_INPUT, of `name`. */
  read(text: string | undefined, name: string): T;
}

/** The parameters of a route, by name. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What was given for each parameter. */
export type Values<P extends Parameters> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never };
