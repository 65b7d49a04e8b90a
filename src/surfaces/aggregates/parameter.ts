/** The parts of an OpenAPI 3.0 schema that parameters use. */
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

/** A parameter of a route: its description and its decoder. */
export interface Parameter<T> {
  readonly in: 'path' | 'query';
  readonly description: string;
  /** The items of a list are separated by commas (`style: form`, `explode: false`). The parameter can also be repeated. */
  readonly schema: ParameterSchema;
  /** Whether it is the address of an account, which must be one of the connected chain. */
  readonly isAccount?: true;
  /** Whether it matches the rest of the path, including slashes. */
  readonly takesRest?: true;
  /**
   * Converts the decoded text, which is undefined if the parameter is absent. Throws BAD_USER_INPUT for `name` if the text is
   * invalid.
   */
  read(text: string | undefined, name: string): T;
}

/** The parameters of a route, by name. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values of the parameters, by name. */
export type Values<P extends Parameters> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never };
