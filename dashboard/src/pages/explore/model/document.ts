import type { Method } from './methods.ts';
import type { MessageShape, Shape } from './shape.ts';
import { typeText } from './types.ts';

/** How a document is written. */
export interface DocumentOptions {
  /** Whether it also reads the head, which pages show. */
  readonly hasHead?: boolean;
  readonly isLive?: boolean;
  /** The height that the document itself names. */
  readonly at?: bigint | undefined;
}

const coinFragment = 'fragment Coin on Coin {\n  denom\n  amount\n  display {\n    amount\n    denom\n    symbol\n  }\n}';
const anyFragment = 'fragment Message on AnyMessage {\n  type\n  inWords\n  json\n}';

/** The lines of a selection of an object. */
function linesOf(shape: MessageShape): string[] {
  const lines = shape.fields.flatMap(({ name, shape: inner }) => fieldLines(name, inner));
  if (shape.isPage) lines.push('pageInfo {', '  hasNextPage', '  endCursor', '}');
  return lines.length === 0 ? ['__typename'] : lines;
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

function fieldLines(name: string, shape: Shape): string[] {
  switch (shape.kind) {
    case 'leaf':
      return [name];
    case 'coin':
      return [`${name} {`, '  ...Coin', '}'];
    case 'any':
      return [`${name} {`, '  ...Message', '}'];
    case 'message':
      return [`${name} {`, ...indented(linesOf(shape)), '}'];
  }
}

function has(shape: Shape, kind: Shape['kind']): boolean {
  return shape.kind === kind || (shape.kind === 'message' && shape.fields.some((field) => has(field.shape, kind)));
}

/** The document that calls a method. Its variables are the arguments with these names. */
export function documentOf(
  { path, name, args, pageArgs }: Method,
  shape: MessageShape,
  names: readonly string[],
  { hasHead = false, isLive = false, at }: DocumentOptions = {},
): string {
  const usedArgs = [...args, ...pageArgs].filter((arg) => names.includes(arg.name));
  const variables = usedArgs.map((arg) => `$${arg.name}: ${typeText(arg.type)}`).join(', ');
  const call = usedArgs.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const field = [`${name}${call === '' ? '' : `(${call})`} {`, ...indented(linesOf(shape)), '}'];
  const spaces = path.slice(0, -1);
  const nested = spaces.reduceRight<string[]>((lines, part) => [`${part} {`, ...indented(lines), '}'], field);
  const body = at === undefined ? nested : [`at(height: ${at}) {`, ...indented(nested), '}'];
  const title = `query ${name.charAt(0).toUpperCase()}${name.slice(1)}${variables === '' ? '' : `(${variables})`}`;
  return [
    `${title}${isLive ? ' @live' : ''} {`,
    ...(hasHead ? ['  head { height time chainId }'] : []),
    ...indented(body),
    '}',
    ...(has(shape, 'coin') ? ['', coinFragment] : []),
    ...(has(shape, 'any') ? ['', anyFragment] : []),
  ].join('\n');
}

/** The value at the path of a method in the data of its document. null if it failed. */
export function answerOf(data: unknown, path: readonly string[]): unknown {
  return (
    path.reduce<unknown>((value, name) => (Object(value) === value ? Reflect.get(Object(value), name) : null), data) ?? null
  );
}

/** The answer as JSON has it: the coins without the units that the page shows. */
export function plainAnswer(value: unknown, shape: Shape): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((item) => plainAnswer(item, shape));
  if (shape.kind === 'coin')
    return { denom: Reflect.get(Object(value), 'denom'), amount: Reflect.get(Object(value), 'amount') };
  if (shape.kind === 'any') return Reflect.get(Object(value), 'json') ?? { '@type': Reflect.get(Object(value), 'type') };
  if (shape.kind === 'leaf') return value;
  const members = shape.fields.map(({ name, shape: inner }) => [name, plainAnswer(Reflect.get(Object(value), name), inner)]);
  return Object.fromEntries(
    shape.isPage ? [...members, ['pageInfo', Reflect.get(Object(value), 'pageInfo') ?? null]] : members,
  );
}
