import type { MessageShape, Shape, ShapeField } from './shape.ts';
import { isEmpty, memberOf } from './table.ts';

const isPlain = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What texts of JSON mean by their form: numbers, names of enums, or any text. */
function leafOf(items: readonly unknown[]): Shape {
  const all = (form: RegExp): boolean => items.length > 0 && items.every((item) => form.test(String(item)));
  return { kind: 'leaf', type: all(/^-?\d+(\.\d+)?$/) ? 'Decimal' : 'String', isEnum: all(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/) };
}

/** The shape of decoded values, of which only the JSON is known: the members of all of them, in the order in which they occur. */
export function shapeOfJson(values: readonly unknown[]): MessageShape {
  const names = [...new Set(values.filter(isPlain).flatMap((value) => Object.keys(value)))];
  const fields = names.map((name): ShapeField => {
    const members = values.map((value) => memberOf(value, name)).filter((value) => !isEmpty(value));
    const isList = members.some(Array.isArray);
    const items = members.flat();
    return { name, isList, shape: items.length > 0 && items.every(isPlain) ? shapeOfJson(items) : leafOf(items) };
  });
  return { kind: 'message', type: '', fields, omitted: [], isPage: false };
}
