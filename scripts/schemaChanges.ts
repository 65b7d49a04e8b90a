import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, type GraphQLSchema } from 'graphql';

/** What a subgraph imports from the federation specification. */
const federation = `
  directive @link(url: String!, import: [String!]) repeatable on SCHEMA
  directive @key(fields: String!) repeatable on OBJECT
  directive @shareable on OBJECT
  directive @inaccessible on FIELD_DEFINITION | OBJECT
`;

/** Builds the schema from the text of a subgraph. */
export function subgraph(text: string): GraphQLSchema {
  return buildSchema(federation + text);
}

/**
 * Whether a change can break the composition of a supergraph: a federation directive was removed from a type, or a type or
 * field became inaccessible.
 */
function breaksComposition({ type, path = '' }: Change, before: GraphQLSchema): boolean {
  if (before.getType(path.split('.')[0] ?? '') === undefined) return false;
  if (type.startsWith('DIRECTIVE_USAGE_') && type.endsWith('_REMOVED')) return /\.@(key|shareable)\b/.test(path);
  return type.startsWith('DIRECTIVE_USAGE_') && type.endsWith('_ADDED') && path.endsWith('.@inaccessible');
}

/** The changes from one text of the schema to the next that can break a client or a supergraph. */
export async function breakingChanges(released: string, current: string): Promise<Change[]> {
  const before = subgraph(released);
  const changes = await diff(before, subgraph(current));
  return changes.filter(
    (change) => change.criticality.level === CriticalityLevel.Breaking || breaksComposition(change, before),
  );
}

/** The section of CHANGELOG.md for what is not released yet. */
function unreleased(changelog: string): string {
  const [, section = ''] = changelog.split(/^## Unreleased$/m);
  return section.split(/^## /m)[0] ?? '';
}

/**
 * The breaking changes that CHANGELOG.md does not name, one line each. The section "Unreleased" names a change by its
 * coordinate in backticks: `Query.at`, `Proposal`, `Query.blocks.first`, `Block.@key`.
 */
export async function unnamedChanges(released: string, current: string, changelog: string): Promise<string[]> {
  const section = unreleased(changelog);
  const changes = await breakingChanges(released, current);
  return changes
    .filter(({ path = '' }) => !section.includes(`\`${path}\``))
    .map(({ path, message }) => `${path}: ${message}. CHANGELOG.md does not name \`${path}\` under "Unreleased".`);
}
