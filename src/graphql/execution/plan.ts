import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isObjectType,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectFields } from './collect.ts';
import type { Complete, SelectedField, Source, Values } from './execution.ts';
import { planField, planTypename } from './field.ts';
import { KeptSelections } from './keptJson.ts';
import { completeAbstract, completeObject } from './object.ts';
import { createSelection, type PlannedField, type Selection } from './selection.ts';

/** Returns the fields that selection sets select on an object type. */
export type Planner = (type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[]) => Selection;

/** Called with the bytes by which the memory of an operation has grown. */
export type OnPlanned = (bytes: number) => void;

/** Bytes of a planned field. The largest measured value is 800, for an object with an argument. */
const fieldBytes = 1_000;

/** Bytes of a selection besides its fields. The largest measured value is 800. */
const selectionBytes = 1_000;

/**
 * Creates the planner of one operation for these values of the variables in `@skip` and `@include`. Selections are planned on first use and
 * kept: one for each type and combination of selection sets. `keptBytes` bounds the JSON that is kept of values, see {@link KeptSelections}.
 */
export function createPlanner(source: Source, conditions: Values, keptBytes: number, onPlanned: OnPlanned): Planner {
  const keptSelections = new KeptSelections(keptBytes, onPlanned);
  const selections = new Map<string, Selection>();
  const ids = new Map<SelectionSetNode, number>();
  let slots = 0;

  const slot = (): number => {
    slots += 1;
    return slots - 1;
  };

  function idOf(set: SelectionSetNode): number {
    const known = ids.get(set) ?? ids.size;
    ids.set(set, known);
    return known;
  }

  function select(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Selection {
    const id = `${type.name} ${sets.map(idOf).join(' ')}`;
    const known = selections.get(id);
    if (known !== undefined) return known;
    const fields = collectFields(source, conditions, type, sets);
    const planned = [...fields].flatMap(([key, nodes]) => plan(type, key, nodes));
    const selection = createSelection(planned, keptSelections.create());
    selections.set(id, selection);
    onPlanned(selectionBytes + id.length + planned.length * fieldBytes);
    return selection;
  }

  function plan(parentType: GraphQLObjectType, key: string, nodes: SelectedField['nodes']): PlannedField | [] {
    const name = nodes[0]?.name.value ?? '';
    if (name === TypeNameMetaFieldDef.name) return planTypename(key, parentType.name);
    const definition = definitionOf(source, parentType, name);
    if (definition === undefined) return [];
    const field = { key, nodes, parentType, fieldName: definition.name, returnType: definition.type };
    return planField(field, definition, slot, () => createCompleteNamed(field));
  }

  function createCompleteNamed(field: SelectedField): Complete {
    const type = getNamedType(field.returnType);
    const sets = field.nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const selectionOf = (objectType: GraphQLObjectType): Selection => select(objectType, sets);
    if (isObjectType(type)) return completeObject(type, field, selectionOf);
    if (isAbstractType(type)) return completeAbstract(type, field, selectionOf);
    throw new Error(`${type.name} is no type of objects`);
  }

  return select;
}

/** The definition of a field, including the fields of introspection; undefined if none exists. */
function definitionOf({ schema }: Source, type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}
