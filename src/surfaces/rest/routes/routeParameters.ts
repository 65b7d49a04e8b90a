import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { Template } from './template.ts';

/** A parameter of a route: one field of its request, at any depth. */
export interface RouteParameter {
  /** Name in the node's dialect and in the descriptors: `pagination.count_total`. */
  readonly name: string;
  /**
   * Name in the documented dialect: as in the template for a path parameter, camelCase for a query parameter
   * (`pagination.countTotal`). Both dialects accept both names.
   */
  readonly documentedName: string;
  readonly where: 'path' | 'query';
  readonly required: boolean;
  /** Whether it can be repeated. */
  readonly repeated: boolean;
  /** The field that it sets. */
  readonly field: DescField;
}

/** Messages with a text format. Their fields are not parameters. */
const textual: readonly string[] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];

/** Deepest nesting of fields that become parameters. */
const deepest = 4;

/** Whether a field takes one or several text values. */
export function isLeaf(field: DescField): boolean {
  switch (field.fieldKind) {
    case 'scalar':
    case 'enum':
      return true;
    case 'list':
      return field.listKind !== 'message';
    case 'message':
      return textual.includes(field.message.typeName);
    case 'map':
      return false;
  }
}

/** Finds a field by its protobuf name or its JSON name. */
export function fieldNamed(desc: DescMessage, name: string): DescField | undefined {
  return desc.fields.find((field) => field.name === name || field.jsonName === name);
}

function leavesOf(desc: DescMessage, above: readonly DescField[] = []): readonly (readonly DescField[])[] {
  return desc.fields.flatMap((field) => {
    const path = [...above, field];
    if (isLeaf(field)) return [path];
    return field.fieldKind === 'message' && path.length < deepest ? leavesOf(field.message, path) : [];
  });
}

/** Returns the parameters of a route: the variables of its path, and without a body all other fields of the request. */
export function parametersOf(request: DescMessage, template: Template, hasBody: boolean): readonly RouteParameter[] {
  const inPath = template.variables.map(({ field }) => field.join('.'));
  return leavesOf(request).flatMap((path) => {
    const field = path.at(-1);
    const name = path.map((each) => each.name).join('.');
    const where = inPath.includes(name) ? 'path' : 'query';
    if (field === undefined || (where === 'query' && hasBody)) return [];
    const documentedName = where === 'path' ? name : path.map(({ jsonName }) => jsonName).join('.');
    return [{ name, documentedName, where, required: where === 'path', repeated: field.fieldKind === 'list', field } as const];
  });
}
