import { malformed } from '../errors.ts';

// A parser of executable documents of GraphQL. It knows queries and fragments; whatever else a document has is refused, because its meaning is unknown.

/** A value in a document. Numbers are text, so that none is rounded. */
export type Value =
  | { readonly kind: 'VARIABLE' | 'NUMBER' | 'TEXT' | 'ENUM'; readonly text: string }
  | { readonly kind: 'FLAG'; readonly flag: boolean }
  | { readonly kind: 'NULL' }
  | { readonly kind: 'LIST'; readonly values: readonly Value[] }
  | { readonly kind: 'OBJECT'; readonly members: ReadonlyMap<string, Value> };

/** `@include` or `@skip`. */
export interface Directive {
  readonly name: string;
  readonly condition: Value;
}

export interface FieldNode {
  readonly kind: 'FIELD';
  /** The name in the answer. */
  readonly alias: string;
  readonly name: string;
  readonly args: ReadonlyMap<string, Value>;
  readonly directives: readonly Directive[];
  /** Empty for a field without a selection. */
  readonly selections: readonly Selection[];
}

/** A fragment: inline, or the name of one. */
export type Selection =
  | FieldNode
  | {
      readonly kind: 'INLINE';
      readonly on: string | undefined;
      readonly directives: readonly Directive[];
      readonly selections: readonly Selection[];
    }
  | { readonly kind: 'SPREAD'; readonly name: string; readonly directives: readonly Directive[] };

export interface Fragment {
  readonly on: string;
  readonly selections: readonly Selection[];
}

/** A query with the fragments of its document. */
export interface Query {
  /** The defaults of its variables. */
  readonly defaults: ReadonlyMap<string, Value | undefined>;
  readonly selections: readonly Selection[];
  readonly fragments: ReadonlyMap<string, Fragment>;
}

/** Bounds of a document. */
const maxLength = 200_000;
const maxDepth = 64;

const token =
  /[\s,\uFEFF]+|#[^\n\r]*|(\.\.\.|[!$&():=@[\]{|}])|([A-Za-z_]\w*)|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|("(?!"")(?:[^"\\\n\r]|\\(?:u[0-9A-Fa-f]{4}|["\\/bfnrt]))*")/uy;

function tokensOf(text: string): readonly string[] {
  if (text.length > maxLength) throw malformed(`the document has more than ${maxLength} characters`);
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) throw malformed(`the document has ${JSON.stringify(text.slice(at, at + 10))} at ${at}`);
    const [, sign, name, number, string] = match;
    const part = sign ?? name ?? number ?? string;
    if (part !== undefined) tokens.push(part);
  }
  return tokens;
}

/** Parses a document and picks the query of a name, or its only one. Throws MALFORMED for everything that is not a plain query. */
export function parseQuery(text: string, operationName?: string): Query {
  const tokens = tokensOf(text);
  let at = 0;

  const isNext = (sign: string): boolean => tokens[at] === sign;
  function skip(sign: string): boolean {
    if (!isNext(sign)) return false;
    at += 1;
    return true;
  }
  function next(): string {
    const part = tokens[at];
    if (part === undefined) throw malformed('the document ends too early');
    at += 1;
    return part;
  }
  function expect(sign: string): void {
    const part = next();
    if (part !== sign) throw malformed(`the document has ${part.slice(0, 40)} in place of ${sign}`);
  }
  function name(): string {
    const part = next();
    if (!/^[A-Za-z_]/.test(part)) throw malformed(`the document has ${part.slice(0, 40)} in place of a name`);
    return part;
  }
  /** What is between two signs. */
  function* until(end: string): Generator<void> {
    while (!skip(end)) yield;
  }

  function value(depth: number): Value {
    if (depth > maxDepth) throw malformed('the document is nested too deeply');
    const part = next();
    if (part === '$') return { kind: 'VARIABLE', text: name() };
    if (part === '[') return { kind: 'LIST', values: Array.from(until(']'), () => value(depth + 1)) };
    if (part === '{') {
      const members = new Map<string, Value>();
      for (const _ of until('}')) {
        const member = name();
        expect(':');
        members.set(member, value(depth + 1));
      }
      return { kind: 'OBJECT', members };
    }
    if (part === 'true' || part === 'false') return { kind: 'FLAG', flag: part === 'true' };
    if (part === 'null') return { kind: 'NULL' };
    if (part.startsWith('"')) return { kind: 'TEXT', text: String(JSON.parse(part)) };
    if (/^[-\d]/.test(part)) return { kind: 'NUMBER', text: part };
    if (/^[A-Za-z_]/.test(part)) return { kind: 'ENUM', text: part };
    throw malformed(`the document has ${part.slice(0, 40)} in place of a value`);
  }

  function argumentsOf(): ReadonlyMap<string, Value> {
    const args = new Map<string, Value>();
    if (skip('('))
      for (const _ of until(')')) {
        const argument = name();
        expect(':');
        if (args.has(argument)) throw malformed(`the document has the argument ${argument} twice`);
        args.set(argument, value(0));
      }
    return args;
  }

  function directives(): readonly Directive[] {
    const list: Directive[] = [];
    while (skip('@')) {
      const directive = name();
      const args = argumentsOf();
      const condition = args.get('if');
      if ((directive !== 'include' && directive !== 'skip') || condition === undefined || args.size > 1)
        throw malformed(`the document has the directive @${directive}, whose meaning is unknown`);
      list.push({ name: directive, condition });
    }
    return list;
  }

  function selectionsOf(depth: number): readonly Selection[] {
    if (depth > maxDepth) throw malformed('the document is nested too deeply');
    expect('{');
    const selections = Array.from(until('}'), (): Selection => {
      if (skip('...')) {
        if (!isNext('on') && !isNext('@') && !isNext('{')) return { kind: 'SPREAD', name: name(), directives: directives() };
        const on = skip('on') ? name() : undefined;
        return { kind: 'INLINE', on, directives: directives(), selections: selectionsOf(depth + 1) };
      }
      const first = name();
      const second = skip(':') ? name() : first;
      const args = argumentsOf();
      return {
        kind: 'FIELD',
        alias: first,
        name: second,
        args,
        directives: directives(),
        selections: isNext('{') ? selectionsOf(depth + 1) : [],
      };
    });
    if (selections.length === 0) throw malformed('the document has a selection without a field');
    return selections;
  }

  /** Skips a type, which the verifier has no need of. */
  function skipType(): void {
    if (skip('[')) {
      skipType();
      expect(']');
    } else name();
    skip('!');
  }

  function variables(): ReadonlyMap<string, Value | undefined> {
    const defaults = new Map<string, Value | undefined>();
    if (skip('('))
      for (const _ of until(')')) {
        expect('$');
        const variable = name();
        expect(':');
        skipType();
        defaults.set(variable, skip('=') ? value(0) : undefined);
        if (isNext('@')) throw malformed('the document has a directive at a variable');
      }
    return defaults;
  }

  const fragments = new Map<string, Fragment>();
  const queries: { readonly name: string; readonly defaults: Query['defaults']; readonly selections: readonly Selection[] }[] =
    [];
  while (at < tokens.length) {
    if (isNext('{')) {
      queries.push({ name: '', defaults: new Map(), selections: selectionsOf(0) });
      continue;
    }
    const kind = next();
    if (kind === 'fragment') {
      const fragment = name();
      expect('on');
      const on = name();
      if (fragments.has(fragment)) throw malformed(`the document has the fragment ${fragment} twice`);
      fragments.set(fragment, { on, selections: selectionsOf(0) });
    } else if (kind === 'query') {
      const query = isNext('(') || isNext('{') || isNext('@') ? '' : name();
      const defaults = variables();
      if (isNext('@')) throw malformed('the document has a directive at its query');
      queries.push({ name: query, defaults, selections: selectionsOf(0) });
    } else throw malformed(`the document has ${kind.slice(0, 40)}, and not only queries`);
  }
  const queriesNamed = operationName === undefined ? queries : queries.filter((query) => query.name === operationName);
  const [query] = queriesNamed;
  if (query === undefined || queriesNamed.length > 1) throw malformed('the document does not have one query of this name');
  return { ...query, fragments };
}
