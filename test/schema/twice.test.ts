import { type DocumentNode, type GraphQLObjectType, isObjectType, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contractMessage, contracts } from '../../packages/devnet/src/app/world/contracts.ts';
import { atomDenom, periodicAccount } from '../../packages/devnet/src/app/world/vesting.ts';
import {
  type ArgumentTexts,
  addFields,
  argumentTexts,
  type Executed,
  executableFields,
  FieldWriter,
} from '../../scripts/upgrade/everyField.ts';
import { archiveOf } from '../../src/archive/setup/archive.ts';
import { createLightClient } from '../../src/chain/lightClient/lightClient.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { createExecute, type Execute } from '../../src/graphql/execution/execute.ts';
import { schema } from '../../src/graphql/schema.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgExecuteContractSchema } from '../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { createPin, pinned } from '../../src/reads/pin.ts';
import { openSession } from '../../src/reads/viewer.ts';
import type { GraphQLContext } from '../../src/schema/builder.ts';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { createGroup, submitProposal, vote } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

const day = 24 * 60 * 60_000;

let chain: TestChain;
/** Two servers over the same chain, so that the second one has nothing in memory that the first one has read. */
let stacks: readonly Stack[];
let values: ArgumentTexts;

beforeAll(async () => {
  chain = await startChain();
  stacks = await Promise.all(
    [1, 2].map(() =>
      startStack([chain.node.url], {
        archive: { records: true },
        client: { simulation: { everywhere: true } },
        upstream: { light: createLightClient({}) },
      }),
    ),
  );
  const [alice, bob] = chain.accounts;
  const group = await createGroup(chain, [
    [alice!, '1'],
    [bob!, '2'],
  ]);
  // One that a rehearsal finds to move coins, and one that fails.
  const coins = [{ denom: 'nhash', amount: '5' }];
  await chain.run(alice!, any(MsgSendSchema, { fromAddress: alice!.address, toAddress: group.policy, amount: coins }));
  const id = await submitProposal(chain, group, alice!, { amount: '5' });
  await submitProposal(chain, group, alice!, { amount: '5000' });
  const points = { mint: { recipient: bob!.address, amount: '5' } };
  const mint = any(MsgExecuteContractSchema, {
    ...{ sender: alice!.address, contract: contracts.points },
    msg: contractMessage(points),
  });
  await chain.submit(bob!, vote(bob!, id));
  const hash = await chain.submit(alice!, mint);
  const height = await chain.devnet.commit();
  await chain.devnet.commit();
  for (const { client } of stacks) {
    await archiveOf(client.archive())!.reader.waitFor(chain.devnet.height, { milliseconds: 20_000 });
  }
  const header = await stacks[0]!.ask('{ head { hash header { proposerAddress } } }');
  const {
    hash: blockHash,
    header: { proposerAddress: validator },
  } = (header.body.data as { head: { hash: string; header: { proposerAddress: string } } }).head;
  values = {
    ...argumentTexts({
      height,
      groupId: group.id,
      proposalId: id,
      policy: group.policy,
      account: alice!.address,
      other: bob!.address,
      transaction: hash,
      block: blockHash,
      validator,
    }),
    'Query.contract.address': JSON.stringify(contracts.points),
    'Query.contractCode.id': '1',
    'Query.supplyOf.denom': JSON.stringify(atomDenom),
    'Contract.query.msg': '{ token_info: {} }',
    representations: `[{ __typename: "Group", id: "${group.id}" }, { __typename: "Account", address: "${periodicAccount}" }]`,
  };
});

afterAll(async () => {
  for (const stack of stacks) await stack.close();
  await chain.devnet.close();
});

interface Result {
  readonly data: unknown;
  readonly errors: readonly string[];
}

async function run(execute: Execute, { client }: Stack, document: DocumentNode): Promise<Result> {
  const contextValue: GraphQLContext = {
    viewer: openSession.viewer,
    broadcastCommit: true,
    limits: createLimits(),
    warnings: new Set(),
    outcome: { immutable: true },
  };
  const rootValue = pinned(createPin(client, chain.devnet.height), {});
  const { data = 'null', errors = [] } = await execute({ schema, document, rootValue, contextValue });
  return { data: JSON.parse(data), errors: errors.map(({ message, path }) => `${path?.join('.')}: ${message}`) };
}

/** The coordinates of the leaves in which two results differ. */
function differences(one: unknown, other: unknown, coordinate = ''): readonly string[] {
  if (Object.is(one, other)) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return [coordinate];
  if (Array.isArray(one) && Array.isArray(other) && one.length !== other.length) return [coordinate];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const type = '__typename' in one ? `${one.__typename}.` : undefined;
  return names.flatMap((name) =>
    differences(Reflect.get(one, name), Reflect.get(other, name), type === undefined ? coordinate : type + name),
  );
}

/** Types of the results of mutations and of the events of subscriptions. */
const sent = [
  'BroadcastResult',
  'Attempt',
  'TransactionUpdate',
  'EventMatch',
  'ProposalUpdate',
  'TallyUpdate',
  'ProposalReminder',
  'GovProposalUpdate',
];
/** Types that the development chain, its node or a new archive has no value of. */
const absent = [
  ...['Backfill', 'ChannelStatus', 'ConnectionStatus', 'Evidence', 'FlowMonitor', 'OtherDecisionPolicy', 'OtherFeeAllowance'],
  ...[
    'GovAudit',
    'GovMissedVote',
    'NetAssetValueEdge',
    'Peer',
    'ProofOp',
    'ProposalExecution',
    'ProposalProof',
    'TallyAudit',
    'TxFees',
    'UnconfirmedTransaction',
    'ValidatorUpdate',
    'DeletedWebhook',
    'Webhook',
    'WebhookDelivery',
    'WebhookPayload',
    'WebhookTest',
  ],
];

/** The fields that were not executed, of types that have values here. */
function missingFields(executed: Executed): readonly string[] {
  const others = ['Query', 'Mutation', 'Subscription', 'Snapshot', ...sent, ...absent];
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__') && !others.includes(type.name))
    .flatMap((type) => Object.keys((type as GraphQLObjectType).getFields()).map((name) => `${type.name}.${name}`))
    .filter((coordinate) => !executed.has(coordinate));
}

/**
 * Executes these fields of the query type at two times. Returns the fields that were executed, and those whose values differ: between the two servers,
 * or between what the first one has kept and what the second one reads.
 */
async function executeTwice(
  names: readonly string[],
): Promise<{ readonly executed: Executed; readonly different: Set<string> }> {
  const [kept, fresh] = [createExecute(), createExecute()];
  const query = schema.getQueryType()!;
  const executed: Executed = new Set();
  const different = new Set<string>();
  const [one, other] = stacks;
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const fields = executableFields(values, query).filter(({ name }) => names.includes(name));
    const entries = fields.filter(({ name }) =>
      ['_entities', 'account', 'blockSearch', 'groupMembers', 'markers', 'messageFee', 'supplyOf'].includes(name),
    );
    for (const [index, field] of [...fields, ...entries].entries()) {
      const isThorough = index >= fields.length;
      if (isThorough && missingFields(executed).length === 0) break;
      const document = parse(`{ __typename ${new FieldWriter(schema, values, executed, isThorough).field(query, field)} }`);
      const now = Date.now();
      const first = await run(kept, one!, document);
      vi.setSystemTime(now + 400 * day);
      const later = await run(fresh, other!, document);
      const again = await run(kept, one!, document);
      vi.setSystemTime(now);
      expect(later.errors, field.name).toEqual(first.errors);
      for (const { data } of [first, again]) for (const coordinate of differences(data, later.data)) different.add(coordinate);
      addFields(first.data, executed);
    }
  } finally {
    vi.useRealTimers();
  }
  return { executed, different };
}

/** What a server measures itself. */
const ofServer: ReadonlySet<string> = new Set([
  'ProposalRecord.rehearsal',
  'Archive.sizeBytes',
  'NodeStatus.lastBlockAge',
  'UpstreamNode.latency',
]);

describe('a field that is executed at two times', () => {
  it.runIf(runsAll)('has the same value at both', async () => {
    const { executed, different } = await executeTwice(Object.keys(schema.getQueryType()!.getFields()));
    expect([...different].filter((coordinate) => !ofServer.has(coordinate))).toEqual([]);
    expect(missingFields(executed)).toEqual([]);
  });

  it.runIf(runsAll)('is found if its resolver reads a clock', async () => {
    const field = (schema.getType('Group') as GraphQLObjectType).getFields().metadata!;
    const { resolve } = field;
    field.resolve = () => String(Date.now());
    try {
      const { different } = await executeTwice(['group']);
      expect([...different].filter((coordinate) => !ofServer.has(coordinate))).toEqual(['Group.metadata']);
    } finally {
      if (resolve === undefined) delete field.resolve;
      else field.resolve = resolve;
    }
  });
});
