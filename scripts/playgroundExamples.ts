import { readFileSync } from 'node:fs';
import { isNonNullType, Kind, type OperationDefinitionNode, parse, print, typeFromAST, visit } from 'graphql';
import { schema } from '../src/graphql/schema.ts';
import type { PlaygroundExample } from '../src/http/pages/gen/playgroundExamples.ts';

const path = 'schema/operations.graphql';

/** An account of the embedded chain, member of the group Assembly. */
const member = 'tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk';

/** Values of variables by their name, which exist on the embedded chain. `Operation.name` precedes `name`. */
const values: Readonly<Record<string, unknown>> = {
  ...{ address: member, me: member, voter: member, account: member, group: '1', proposal: '38', height: '2' },
  policy: 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf',
  ...{ denom: 'nhash', name: 'kyc.pb', suffix: 'pb', type: '/cosmos.bank.v1beta1.MsgSend', evidence: {}, id: '38' },
  ...{ 'GroupPage.id': '1', 'TokenPage.denom': 'fundshare', 'PriceChart.denom': 'fundshare', 'ScopePage.id': '' },
  ...{ 'SearchBlocks.query': 'block.height > 0', 'WatchQuery.query': "tm.event = 'Tx'" },
  'Application.method': '/cosmos.bank.v1beta1.Query/Params',
};

/** The names of the fragments that a part of a document spreads. */
function spreadsIn(node: Parameters<typeof visit>[0]): readonly string[] {
  const names: string[] = [];
  visit(node, { FragmentSpread: ({ name }) => void names.push(name.value) });
  return names;
}

function variablesOf({ name, variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  const required = variableDefinitions.filter(({ type }) => isNonNullType(typeFromAST(schema, type as never)));
  return Object.fromEntries(
    required.map(({ variable }) => {
      const own = `${name?.value}.${variable.name.value}`;
      return [variable.name.value, values[own] ?? values[variable.name.value] ?? ''];
    }),
  );
}

/** The operations of schema/operations.graphql, each with its fragments, the comment above it, and values of its required variables. */
export function readPlaygroundExamples(): readonly PlaygroundExample[] {
  const text = readFileSync(path, 'utf8');
  const { definitions } = parse(text);
  const fragments = new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );
  return definitions.flatMap((definition): readonly PlaygroundExample[] => {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.loc === undefined) return [];
    const needed = new Set<string>();
    const add = (names: readonly string[]): void => {
      for (const name of names) {
        const fragment = fragments.get(name);
        if (needed.has(name) || fragment === undefined) continue;
        needed.add(name);
        add(spreadsIn(fragment));
      }
    };
    add(spreadsIn(definition));
    const [, comment = ''] = /((?:#.*\n)*)$/.exec(text.slice(0, definition.loc.start)) ?? [];
    const used = [...needed].flatMap((name) => fragments.get(name) ?? []);
    return [
      {
        name: definition.name?.value ?? '',
        kind: definition.operation,
        comment: comment.replaceAll(/^# ?/gm, '').trim().replaceAll('\n', ' '),
        query: `${[definition, ...used].map(print).join('\n\n')}\n`,
        variables: variablesOf(definition),
      },
    ];
  });
}

const interfaceText = `
/** An operation that the playground offers as an example. */
export interface PlaygroundExample {
  readonly name: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** What it is for; can be empty. */
  readonly comment: string;
  /** The operation with its fragments. */
  readonly query: string;
  /** Values of the required variables. They exist on the embedded chain. Empty texts are for the reader to fill in. */
  readonly variables: Readonly<Record<string, unknown>>;
}
`;

/** The file with the examples. */
export function printPlaygroundExamples(): string {
  return [
    `// Printed from ${path} by \`npm run schema\`.`,
    interfaceText,
    '/** The operations that the playground offers as examples. */',
    `export const playgroundExamples: readonly PlaygroundExample[] = ${JSON.stringify(readPlaygroundExamples(), null, 2)};`,
    '',
  ].join('\n');
}
