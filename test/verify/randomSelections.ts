import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { ruleOf } from '../../packages/verify/src/answer/schema.ts';
import { schema } from '../../src/graphql/schema.ts';
import { type Choice, readField, rootFields } from '../roots/operations.ts';

/** A random document. */
export interface RandomSelection {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Arguments of fields that require some. */
const required: Readonly<Record<string, (choice: Choice) => string>> = {
  'Group.member': () => 'address: $member',
  'Proposal.vote': () => 'voter: $member',
  'Account.balance': () => 'denom: "nhash"',
};

/** The fields that a random document starts with: those that the verifier has rules for. */
const roots = rootFields.filter(({ name }) => name !== 'at' && ruleOf('Query', name) !== undefined);

/** Makes a random selection of the fields that have rules, and of some scalars that have none. `random` returns numbers from 0 to 1. */
export function randomSelection(random: () => number, choice: Choice, member: string): RandomSelection {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const fragments: string[] = [];

  function argumentsOf(type: string, field: GraphQLField<unknown, unknown>): string | null {
    if (field.args.some(isRequiredArgument)) {
      const own = required[`${type}.${field.name}`];
      return own === undefined ? null : `(${own(choice)})`;
    }
    const names = new Set(field.args.map(({ name }) => name));
    if (!names.has('first')) return '';
    const parts = [`first: ${pick(['$first', '1', '2', '5', '30'])}`];
    if (names.has('reverse') && random() < 0.25) parts.push('reverse: true');
    if (names.has('offset') && random() < 0.25) parts.push(`offset: ${pick([0, 1, 2])}`);
    if (names.has('status') && random() < 0.3)
      parts.push(`status: ${pick(['PROPOSAL_STATUS_SUBMITTED', '[PROPOSAL_STATUS_ACCEPTED, PROPOSAL_STATUS_SUBMITTED]'])}`);
    if (names.has('awaitingVote') && random() < 0.3) parts.push('awaitingVote: true');
    return `(${parts.join(', ')})`;
  }

  function fieldText(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, depth: number): string | null {
    const args = argumentsOf(type.name, field);
    const result = getNamedType(field.type);
    const hasRule = ruleOf(type.name, field.name) !== undefined;
    if (args === null || (!hasRule && (isCompositeType(result) || field.args.length > 0 || random() < 0.7))) return null;
    // An alias is another name in the answer, so that two fields of a name need not be mergeable.
    const alias = random() < 0.1 ? `a${Math.floor(random() * 1e9)}: ` : '';
    const directive = random() < 0.05 ? pick([' @include(if: $yes)', ' @skip(if: $yes)']) : '';
    if (!isCompositeType(result)) return `${alias}${field.name}${args}${directive}`;
    if (depth <= 0) return null;
    const inner = isInterfaceType(result)
      ? `{ __typename ${schema.getPossibleTypes(result).map((each) => `... on ${each.name} ${selection(each, depth - 1, 'all')}`)} }`
      : isObjectType(result)
        ? selection(result, depth - 1)
        : '{ __typename }';
    return `${alias}${field.name}${args}${directive} ${inner}`;
  }

  function selection(type: GraphQLObjectType, depth: number, kind: 'some' | 'all' = 'some'): string {
    const isPage = type.name.endsWith('Connection') || type.name.endsWith('Edge');
    const share = isPage ? 0.7 : depth > 2 ? 0.25 : 0.5;
    const parts = Object.values(type.getFields())
      // Fields of the same name in several types of an interface are left to their own tests: they need not have the same type.
      .filter((field) => random() < share && (kind === 'some' || !isCompositeType(getNamedType(field.type))))
      .flatMap((field) => fieldText(type, field, isPage ? depth + 0.5 : depth) ?? []);
    const text = `{ ${['__typename', ...parts].join(' ')} }`;
    if (random() > 0.1) return text;
    if (random() < 0.5) return `{ ... on ${type.name} ${text} }`;
    const name = `F${fragments.length}`;
    fragments.push(`fragment ${name} on ${type.name} ${text}`);
    return `{ ...${name} }`;
  }

  const root = pick(roots);
  const [known] = readField(root, { ...choice, args: Math.floor(random() * 1000), selection: 1 }).text.split(' {');
  const type = getNamedType(root.type);
  const inner = isObjectType(type) ? ` ${selection(type, 3)}` : '';
  const start = isObjectType(type) ? `${known}${inner}` : (known ?? '');
  const used = `${start} ${fragments.join(' ')}`;
  const declared = [
    ['$first', 'Int = 3'],
    ['$member', 'String!'],
    ['$yes', 'Boolean!'],
  ].filter(([name]) => used.includes(name!));
  const head = declared.length === 0 ? '' : `(${declared.map(([name, kind]) => `${name}: ${kind}`).join(', ')})`;
  const values: Record<string, unknown> = {};
  if (used.includes('$member')) values.member = member;
  if (used.includes('$yes')) values.yes = random() < 0.5;
  return { document: `query Random${head} { ${start} }\n${fragments.join('\n')}`, variables: values };
}
