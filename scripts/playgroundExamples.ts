import { readFileSync } from 'node:fs';
import { isNonNullType, Kind, type OperationDefinitionNode, parse, print, typeFromAST, visit } from 'graphql';
import type { PlaygroundExample } from '../dashboard/playground/gen/examples.ts';
import { schema } from '../src/graphql/schema.ts';

const path = 'schema/operations.graphql';

/** An account of the embedded chain, member of the group Assembly. */
const member = 'tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk';

/** What each operation is for, as the list of examples shows it. */
const titles: Readonly<Record<string, string>> = {
  AwaitingMyVote: 'How many proposals await my vote',
  Board: 'The proposals of a policy',
  BoardAt: 'The proposals of a policy at an earlier block',
  GroupPage: 'A group with its members and policies',
  ByAccount: 'The groups and votes of an account',
  ByGroup: 'Groups, policies and votes by id',
  Search: 'Search by words',
  SearchBlocks: 'Search blocks',
  Check: 'Check a transaction',
  TallyLive: 'Watch the tally of a proposal',
  TokenLive: 'Watch the price of a token',
  WatchQuery: 'Watch events',
  Included: 'Watch for a transaction',
  Send: 'Send a transaction',
  SendAndForget: 'Send a transaction without a check',
  SendAndWait: 'Send a transaction and wait for its block',
  Evidence: 'Send evidence',
  AccountPage: 'An account',
  AccountHoldings: 'What an account holds',
  AttributeLookups: 'Attributes, and who has them',
  TokenPage: 'A token',
  BareDenom: 'A denom without a marker',
  Supply: 'The supply of every denom',
  TokenAndScopeLists: 'Tokens and scopes',
  ExplorerHome: 'The newest blocks and transactions',
  ExplorerLive: 'Watch blocks',
  ValidatorsPage: 'Validators',
  NodeRoutes: 'A block as the node has it',
  BeforeSigning: 'What a signer needs',
  FeesOf: 'The fees of a transaction',
  Application: 'Any query of the chain',
  TokenTransfers: 'Transfers of a token',
  WatchTransfers: 'Watch transfers',
  SendAndWatch: 'Send a transaction and watch it',
  ScopePage: 'A scope',
  PriceChart: 'The price of a token over time',
  MyOpenProposals: 'Open proposals of my groups',
  ProposalPage: 'A proposal with its votes and voters',
  MyProposalsLive: 'Watch the proposals of my groups',
  AccountTransfers: 'Transfers of an account',
  BlockPage: 'A block',
  TransactionPage: 'A transaction',
  SearchTransactions: 'Search transactions',
  OpsPeersAndMempool: 'Peers and mempool of the node',
  Ops: 'The nodes of the server',
};

/** Values of variables by their name, which exist on the embedded chain. `Operation.name` precedes `name`. */
const values: Readonly<Record<string, unknown>> = {
  ...{ address: member, me: member, voter: member, account: member, group: '1', proposal: '38', height: '2' },
  text: 'assembly',
  policy: 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf',
  ...{ denom: 'nhash', name: 'kyc.pb', suffix: 'pb', type: '/cosmos.bank.v1beta1.MsgSend', evidence: {}, id: '38' },
  ...{ 'GroupPage.id': '1', 'TokenPage.denom': 'fundshare', 'PriceChart.denom': 'fundshare', 'ScopePage.id': '' },
  ...{ 'SearchBlocks.query': 'block.height > 0', 'WatchQuery.query': "tm.event = 'Tx'" },
  'Application.method': '/cosmos.bank.v1beta1.Query/Params',
};

/** The operations that ask for objects of modules that not every chain has. */
const modules: Readonly<Record<string, string>> = {
  ...{
    Board: 'cosmos.group',
    BoardAt: 'cosmos.group',
    GroupPage: 'cosmos.group',
    ByAccount: 'cosmos.group',
    ByGroup: 'cosmos.group',
  },
  ...{
    ProposalPage: 'cosmos.group',
    MyProposalsLive: 'cosmos.group',
    TallyLive: 'cosmos.group',
    AwaitingMyVote: 'cosmos.group',
  },
  ...{ AttributeLookups: 'provenance.attribute', TokenPage: 'provenance.marker', TokenAndScopeLists: 'provenance.marker' },
  ...{ PriceChart: 'provenance.marker', TokenLive: 'provenance.marker', ScopePage: 'provenance.metadata' },
  ...{ Application: 'provenance.metadata', BeforeSigning: 'provenance.flatfees' },
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

/** The operations of schema/operations.graphql, each with its fragments, a title, and values of its required variables. */
export function readPlaygroundExamples(): readonly PlaygroundExample[] {
  const text = readFileSync(path, 'utf8');
  const { definitions } = parse(text);
  const fragments = new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );
  return definitions.flatMap((definition): readonly PlaygroundExample[] => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
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
    const name = definition.name?.value ?? '';
    const title = titles[name];
    if (title === undefined) throw new Error(`The example ${name} has no title.`);
    const used = [...needed].flatMap((name) => fragments.get(name) ?? []);
    return [
      {
        name,
        title,
        kind: definition.operation,
        query: `${[definition, ...used].map(print).join('\n\n')}\n`,
        variables: variablesOf(definition),
        ...(modules[name] && { module: modules[name] }),
      },
    ];
  });
}

const interfaceText = `
/** An operation that the playground offers as an example. */
export interface PlaygroundExample {
  readonly name: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** What it is for, in a few words. */
  readonly title: string;
  /** The operation with its fragments. */
  readonly query: string;
  /** Values of the required variables. They exist on the embedded chain. Empty texts are for the reader to fill in. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The module that it is about, if not every chain has it. */
  readonly module?: string;
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
