import type { MessageShape, ShapeField } from './shape.ts';
import { isEmpty, memberOf } from './table.ts';

const isPlain = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

const leaf = { kind: 'leaf', type: 'String', isEnum: false } as const;

/** The shape of decoded values, of which only the JSON is known: the members of all of them, in the order in which they occur. */
export function shapeOfJson(values: readonly unknown[]): MessageShape {
  const names = [...new Set(values.filter(isPlain).flatMap((value) => Object.keys(value)))];
  const fields = names.map((name): ShapeField => {
    const members = values.map((value) => memberOf(value, name)).filter((value) => !isEmpty(value));
    const isList = members.some(Array.isArray);
    const items = members.flat();
    return { name, isList, shape: items.length > 0 && items.every(isPlain) ? shapeOfJson(items) : leaf };
  });
  return { kind: 'message', type: '', fields, omitted: [], isPage: false };
}
