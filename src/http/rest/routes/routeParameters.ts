import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { Template } from './template.ts';

/** A parameter of a route: one field of its request, however deep it lies. */
export interface RouteParameter {
  /** As the node's own dialect and its descriptors name it: `pagination.count_total`. */
  readonly name: string;
  /** As the seed names it: what a path holds as the template does, what a query holds in camelCase (`pagination.countTotal`). Both names are taken by both dialects. */
  readonly documentedName: string;
  readonly where: 'path' | 'query';
  readonly required: boolean;
  /** Whether it may come several times. */
  readonly repeated: boolean;
  /** The field that it sets: its type is this one's. */
  readonly field: DescField;
}

/** Messages that are one text: their fields are no parameters. */
const textual: readonly string[] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];

/** How deep fields are looked for. */
const deepest = 4;

/** Whether a field takes one text, or several. */
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

/** A field by either of its names. */
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

/** The parameters of a route: what its path gives, and unless a body gives the rest, whatever else the request has. */
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
