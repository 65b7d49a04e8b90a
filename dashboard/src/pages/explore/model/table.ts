import type { MessageShape, Shape, ShapeField } from './shape.ts';

/** A column of a table of messages. */
export interface ValueColumn {
  /** The names of the fields from the row, such as `delegation`, `shares`. */
  readonly path: readonly string[];
  readonly shape: Shape;
  readonly isList: boolean;
  /** The type of the message that has the field. */
  readonly type: string;
}

/** A table of messages. */
export interface ValueTable {
  readonly columns: readonly ValueColumn[];
  /** Fields that have no column. Each row has them below it. */
  readonly rest: readonly ShapeField[];
  /** Fields that have no value in any row. */
  readonly empty: readonly string[];
}

/** Tables have at most so many columns. */
const mostColumns = 8;

/** The value of a field of a message. */
export function memberOf(value: unknown, name: string): unknown {
  return Object(value) === value ? Reflect.get(Object(value), name) : undefined;
}

/** Whether a value says nothing: null, an empty text, or an empty list. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

const at = (row: unknown, path: readonly string[]): unknown => path.reduce(memberOf, row);

/** Whether a field fits a cell: a value, a coin, or a list of these. */
const isCell = ({ shape }: ShapeField): boolean => shape.kind === 'leaf' || shape.kind === 'coin';

/**
 * The columns of a table of messages. The values of messages within a row have columns of their own while there is room. Fields without a value in any
 * row have none.
 */
export function tableOf({ fields, type }: MessageShape, rows: readonly unknown[]): ValueTable {
  const columns: ValueColumn[] = [];
  const rest: ShapeField[] = [];
  const empty: string[] = [];
  for (const field of fields) {
    const { name, shape, isList } = field;
    if (rows.every((row) => isEmpty(memberOf(row, name)))) {
      empty.push(name);
      continue;
    }
    if (isCell(field) && columns.length < mostColumns) {
      columns.push({ path: [name], shape, isList, type });
      continue;
    }
    const inner = shape.kind === 'message' && !isList ? shape.fields : [];
    const values = inner.filter((each) => !rows.every((row) => isEmpty(at(row, [name, each.name]))));
    if (shape.kind === 'message' && values.length > 0 && values.every(isCell) && columns.length + values.length <= mostColumns)
      for (const each of values)
        columns.push({ path: [name, each.name], shape: each.shape, isList: each.isList, type: shape.type });
    else rest.push(field);
  }
  return { columns, rest, empty };
}

/** Reads the value of a column in a row. */
export function cellOf(row: unknown, { path }: ValueColumn): unknown {
  return at(row, path);
}

/** The path of messages whose fields are not selected, such as `header.omitted`. */
export function omittedIn(shape: Shape, place: readonly string[] = []): readonly string[] {
  if (shape.kind !== 'message') return [];
  const inner = shape.fields.flatMap((field) => omittedIn(field.shape, [...place, field.name]));
  return [...shape.omitted.map((name) => [...place, name].join('.')), ...inner];
}
