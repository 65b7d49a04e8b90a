import type { SqlValue } from './connection.ts';

/** A piece of SQL with the values of its parameters, in order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

function isSql(part: SqlValue | Sql): part is Sql {
  return typeof part === 'object' && part !== null && 'text' in part;
}

/** SQL from a template. A piece of SQL is inserted as it is; any other value becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  const values: SqlValue[] = [];
  const texts = strings.map((text, index) => {
    const part = parts[index];
    if (part === undefined) return text;
    if (isSql(part)) {
      values.push(...part.values);
      return text + part.text;
    }
    values.push(part);
    return `${text}?`;
  });
  return { text: texts.join(''), values };
}

/** The pieces, with `separator` between them. */
export function joined(pieces: readonly Sql[], separator: string): Sql {
  return { text: pieces.map(({ text }) => text).join(separator), values: pieces.flatMap(({ values }) => values) };
}

/** The conditions combined with AND. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`1 = 1` : joined(conditions, ' AND ');
}

/** A list of parameters in parentheses, for IN. */
export function listOf(values: readonly SqlValue[]): Sql {
  return values.length === 0
    ? sql`(NULL)`
    : sql`(${joined(
        values.map((value) => sql`${value}`),
        ', ',
      )})`;
}

/** A query for each item, all in one statement. A query may have an order and a limit of its own; the rows come in the order of the items. */
export function unionAll(queries: readonly Sql[]): Sql {
  return joined(
    queries.map((query, index) => sql`SELECT * FROM (${query}) AS ${{ text: `part_${index}`, values: [] }}`),
    ' UNION ALL ',
  );
}
