import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  parse,
  validate,
} from 'graphql';
import { createRandom, hash } from './random.ts';
import { createRandomValues } from './randomValues.ts';

/** An operation with variables, some of which are wrong. */
export interface RandomOperation {
  readonly text: string;
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Levels of selections below the root. */
const depth = 5;

/** Creates a valid document for the seed. Two of twenty operations are mutations, and one is a subscription. */
export function randomOperation(schema: GraphQLSchema, seed: number): RandomOperation {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const operation = writeOperation(schema, hash(seed, attempt));
    const document = parse(operation.text);
    // Fields of different types may have the same key.
    if (validate(schema, document).length === 0) return { ...operation, document };
  }
  throw new Error(`no valid document for the seed ${seed}`);
}

function writeOperation(schema: GraphQLSchema, seed: number): { text: string; variables: Record<string, unknown> } {
  const random = createRandom(seed);
  const values = createRandomValues(random);
  const fragments: string[] = [];

  /** The text of a selection set. */
  function selectionSet(type: GraphQLCompositeType, level: number): string {
    const count = 1 + random.below(level === depth ? 4 : 5);
    const selections = Array.from({ length: count }, () => selection(type, level));
    // A field that is selected twice is merged.
    if (random.chance(0.3)) selections.push(random.pick(selections));
    return `{ ${selections.join(' ')} }`;
  }

  function selection(type: GraphQLCompositeType, level: number): string {
    if (random.chance(0.1)) return `${random.pick(['', 'kind: ', '__proto__: ', 'then: '])}__typename${directives()}`;
    if (level > 0 && (isUnionType(type) || random.chance(isAbstractType(type) ? 0.5 : 0.15))) return fragment(type, level);
    return isUnionType(type) ? '__typename' : field(random.pick(Object.values(type.getFields())), level);
  }

  /** An inline fragment, or the spread of one with a name, on a type that overlaps. */
  function fragment(type: GraphQLCompositeType, level: number): string {
    const own: GraphQLCompositeType[] = isAbstractType(type) ? [...schema.getPossibleTypes(type), type] : [type];
    if (isObjectType(type)) own.push(...type.getInterfaces());
    const on = random.pick(own);
    if (random.chance(0.6)) {
      const condition = on === type && random.chance(0.5) ? '' : ` on ${on.name}`;
      return `...${condition}${directives()} ${selectionSet(on, level - 1)}`;
    }
    const name = `F${fragments.length}`;
    const index = fragments.push('') - 1;
    fragments[index] = `fragment ${name} on ${on.name} ${selectionSet(on, level - 1)}`;
    const spread = `...${name}${directives()}`;
    return random.chance(0.2) ? `${spread} ...${name}` : spread;
  }

  function field(definition: GraphQLField<unknown, unknown>, level: number, conditions = directives): string {
    const type = getNamedType(definition.type);
    if (isCompositeType(type) && level === 0) return '__typename';
    const given = definition.args.filter((arg) => isRequiredArgument(arg) || random.chance(0.3)).map(argument);
    const args = given.length === 0 ? '' : `(${given.join(', ')})`;
    // Equal fields have equal aliases, so that fields with the same key can be merged.
    const alias = args !== '' || random.chance(0.2) ? `a${hash(definition.name, args) % 1_000}: ` : '';
    const selected = isCompositeType(type) ? ` ${selectionSet(type, level - 1)}` : '';
    return `${alias}${definition.name}${args}${conditions()}${selected}`;
  }

  function argument({ name, type }: GraphQLArgument): string {
    return `${name}: ${random.chance(0.4) ? values.variable(type) : values.literal(type)}`;
  }

  function directives(): string {
    if (random.chance(0.75)) return '';
    return random.pick([
      () => ' @include(if: true)',
      () => ' @skip(if: false)',
      () => ` @skip(if: ${random.chance(0.2)})`,
      () => ` @include(if: ${values.condition()})`,
      () => ` @skip(if: ${values.condition()}) @include(if: ${values.condition()})`,
    ])();
  }

  const kind = random.pick([...Array<string>(17).fill('query'), 'mutation', 'mutation', 'subscription']);
  const root = { query: schema.getQueryType(), mutation: schema.getMutationType(), subscription: schema.getSubscriptionType() }[
    kind
  ];
  const body =
    kind === 'subscription'
      ? `{ ${field(random.pick(Object.values(root!.getFields())), depth, () => '')} }`
      : selectionSet(root!, depth);
  const text = [`${kind} Random${values.definitions()} ${body}`, ...fragments].join('\n');
  return { text, variables: values.given() };
}
