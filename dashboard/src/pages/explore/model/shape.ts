import type { Method } from './methods.ts';
import { type FieldInfo, kindOf, nameOf, nullable, readTypes, type TypeInfo, type TypeMap, type Types } from './types.ts';

/** What is selected of a value, and how it is shown. */
export type Shape =
  | { readonly kind: 'leaf'; readonly type: string; readonly isEnum: boolean }
  | { readonly kind: 'coin' }
  | { readonly kind: 'any' }
  | MessageShape;

/** A message: its fields that are selected, and the names of those that are not. */
export interface MessageShape {
  readonly kind: 'message';
  readonly type: string;
  readonly fields: readonly ShapeField[];
  /** Fields that are nested too deeply, or in a message of their own type. */
  readonly omitted: readonly string[];
  /** Whether the message is a page with `pageInfo`. */
  readonly isPage: boolean;
}

/** A field of a message. */
export interface ShapeField {
  readonly name: string;
  readonly isList: boolean;
  readonly shape: Shape;
}

/** The types that addresses are linked to. Their own fields belong to other pages. */
const linked: readonly string[] = ['Account', 'Validator'];

/** Types with a selection of their own. */
const special: readonly string[] = ['Coin', 'AnyMessage', 'PageInfo'];

/** The deepest message that is selected. The server allows 20 nested fields, of which the name of the package takes up to 5. */
const deepest = 10;

/** Bounds of a selection, below those of the server: tokens of the document, and points. */
const [mostTokens, mostPoints] = [1_700, 20_000];

/** Items of a list without a page in the cost of a document. */
const plainList = 5;

/** Items of a page at most. */
const largestPage = 100;

/** The messages that a message has fields of. */
function messagesIn({ kind, fields }: TypeInfo): readonly string[] {
  if (kind !== 'OBJECT') return [];
  return (fields ?? [])
    .filter(({ type }) => kindOf(type) === 'OBJECT')
    .map(({ type }) => nameOf(type))
    .filter((name) => !linked.includes(name) && !special.includes(name));
}

const isList = ({ type }: FieldInfo): boolean => nullable(type).kind === 'LIST';

/** A message whose fields are being chosen. */
interface Draft {
  readonly type: TypeInfo;
  /** The names of the types that it is in, with its own. */
  readonly within: readonly string[];
  /** How many of them there can be. */
  readonly items: number;
  readonly fields: ShapeField[];
  readonly omitted: string[];
  readonly shape: MessageShape;
}

function draftOf(type: TypeInfo, within: readonly string[], items: number): Draft {
  const [fields, omitted]: [ShapeField[], string[]] = [[], []];
  const isPage = (type.fields ?? []).some((field) => nameOf(field.type) === 'PageInfo');
  const shape = { kind: 'message', type: type.name, fields, omitted, isPage } as const;
  return { type, within: [...within, type.name], items, fields, omitted, shape };
}

/**
 * Chooses what is selected of a message: every field, level by level, as long as the document stays within the limits of the server. Accounts that
 * addresses are linked to, and a message within a message of the same type, are not selected.
 */
export function shapeOf(types: TypeMap, name: string, isPaged = false): MessageShape | undefined {
  const root = types.get(name);
  if (root === undefined) return undefined;
  let [tokens, points] = [0, 0];
  const first = draftOf(root, [], 1);
  const queue = [first];
  for (let draft = queue.shift(); draft !== undefined; draft = queue.shift()) {
    const { fields, omitted, within, items } = draft;
    for (const field of draft.type.fields ?? []) {
      const typeName = nameOf(field.type);
      const kind = kindOf(field.type);
      if (linked.includes(typeName) || typeName === 'PageInfo' || field.name === '_empty') continue;
      if (draft.shape.isPage && field.name === 'totalCount') continue;
      if (field.args.some(({ type }) => type.kind === 'NON_NULL')) continue;
      if (kind === 'SCALAR' || kind === 'ENUM') {
        tokens += 1;
        fields.push({
          name: field.name,
          isList: isList(field),
          shape: { kind: 'leaf', type: typeName, isEnum: kind === 'ENUM' },
        });
        continue;
      }
      const inner = types.get(typeName);
      const page = isPaged && within.length === 1 ? largestPage : plainList;
      const number = isList(field) ? items * page : items;
      const isTooMuch = tokens + 5 + (inner?.fields?.length ?? 0) > mostTokens || points + 2 * number > mostPoints;
      const isSpecial = special.includes(typeName);
      if (isTooMuch || (!isSpecial && (inner === undefined || within.includes(typeName) || within.length >= deepest))) {
        omitted.push(field.name);
        continue;
      }
      tokens += 5;
      points += isSpecial ? 2 * number : number;
      if (isSpecial || inner === undefined) {
        fields.push({ name: field.name, isList: isList(field), shape: { kind: typeName === 'Coin' ? 'coin' : 'any' } });
        continue;
      }
      const draftOfField = draftOf(inner, within, number);
      fields.push({ name: field.name, isList: isList(field), shape: draftOfField.shape });
      queue.push(draftOfField);
    }
  }
  return first.shape;
}

/** Reads what a method returns. undefined if the schema does not have its type. */
export async function readShape(types: Types, { type, pageArgs }: Method): Promise<MessageShape | undefined> {
  return shapeOf(await readTypes(types, [type], messagesIn, deepest), type, pageArgs.length > 0);
}
