import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
  type ServiceDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedChain } from '../../scripts/chainSchema.ts';
import { findBreaks } from '../../scripts/upgrade/breaks.ts';
import { runUpgrade } from '../../scripts/upgrade/command.ts';
import { readDocuments } from '../../scripts/upgrade/documents.ts';
import { readBytes } from '../recordings/recording.ts';
import { createReplayNode, type ReplayNode } from '../replay/replayNode.ts';
import { runsAll } from '../support/atRandom.ts';

const recorded = readBytes('descriptors.binpb');
const before = recordedChain(recorded);

/** A set of descriptors that a test changes. */
class Changed {
  readonly set: FileDescriptorSet = fromBinary(FileDescriptorSetSchema, recorded);

  file(name: string): FileDescriptorProto {
    return this.set.file.find((file) => file.name === name)!;
  }
  message(file: string, name: string): DescriptorProto {
    return this.file(file).messageType.find((message) => message.name === name)!;
  }
  field(file: string, message: string, name: string): FieldDescriptorProto {
    return this.message(file, message).field.find((field) => field.name === name)!;
  }
  removeField(file: string, message: string, name: string): void {
    const desc = this.message(file, message);
    desc.field = desc.field.filter((field) => field.name !== name);
  }
  service(file: string): ServiceDescriptorProto {
    return this.file(file).service[0]!;
  }
  removeMethod(file: string, name: string): void {
    const service = this.service(file);
    service.method = service.method.filter((method) => method.name !== name);
  }
  bytes(): Uint8Array {
    return toBinary(FileDescriptorSetSchema, this.set);
  }
}

const exchange = 'provenance/exchange/v1';
const [market, exchangeQuery] = [`${exchange}/market.proto`, `${exchange}/query.proto`];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  mkdirSync(join(folder, 'pages'));
  writeFileSync(
    join(folder, 'pages/market.graphql'),
    `query Market($id: UInt64) { provenance { exchange { v1 { getMarket(marketId: $id) { market { ...Details } } } } } }
     query Orders { provenance { exchange { v1 { getMarketOrders(marketId: "1") { orders { orderId } } } } } }`,
  );
  writeFileSync(
    join(folder, 'pages/details.gql'),
    'fragment Details on ProvenanceExchangeV1Market { marketDetails { name } acceptingOrders feeCreateAskFlat { denom } }',
  );
  writeFileSync(
    join(folder, 'trusted.json'),
    JSON.stringify({
      group: 'query Group { group(id: 1) { id metadata } }',
      supply: 'query Supply { supplyOf(denom: "nhash") { amount } }',
      votes: 'query Votes { proposal(id: 1) { votes(first: 3) { nodes { option } } } }',
      holds: 'query Holds($address: String!) { account(address: $address) { holds { denom } } }',
      passed: '{ cosmos { gov { v1beta1 { proposals(proposalStatus: PROPOSAL_STATUS_PASSED) { proposals { status } } } } } }',
      unlock:
        '{ proposal(id: 1) { messages { typed { ... on ProvenanceHoldV1MsgUnlockVestingAccountsRequest { addresses } } } } }',
      quarantine: '{ module(method: "cosmos.quarantine.v1beta1.Query/QuarantinedFunds", request: {}) }',
      market: '{ module(method: "provenance.exchange.v1.Query/GetMarket", request: { marketId: 1 }) }',
      params: '{ cosmos { staking { v1beta1 { params { params { bondDenom } } } } } }',
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a change breaks, without the path of the folder. */
async function breaksOf(change: (descriptors: Changed) => void) {
  const changed = new Changed();
  change(changed);
  const after = recordedChain(changed.bytes());
  const documents = ['pages', 'trusted.json'].flatMap((name) => readDocuments(join(folder, name)));
  const { coordinates, documents: broken, untested, invalid } = await findBreaks(before, after, documents);
  expect(invalid).toEqual([]);
  return {
    coordinates: coordinates.map(({ coordinate }) => coordinate),
    documents: Object.fromEntries(broken.map(({ name, reasons }) => [name.replace(`${folder}/`, ''), reasons])),
    untested,
  };
}

const nothing = { coordinates: [], documents: {}, untested: [] };

describe('the next descriptors', () => {
  it.runIf(runsAll)('that are equal break nothing', async () => {
    expect(await breaksOf(() => undefined)).toEqual(nothing);
  });

  it.runIf(runsAll)('with more fields, methods and values break nothing', async () => {
    const added = await breaksOf((next) => {
      next
        .message(market, 'Market')
        .field.push({ ...next.field(market, 'Market', 'market_id'), name: 'more', jsonName: 'more', number: 99 });
      const { method } = next.service(exchangeQuery);
      method.push({ ...method[0]!, name: 'Another' });
      const { value } = next.file('cosmos/group/v1/types.proto').enumType.find(({ name }) => name === 'VoteOption')!;
      value.push({ ...value[0]!, name: 'VOTE_OPTION_LATER', number: 9 });
    });
    expect(added).toEqual(nothing);
  });

  it.runIf(runsAll)('without a field break it, and the documents that select it', async () => {
    expect(await breaksOf((next) => next.removeField(market, 'Market', 'accepting_orders'))).toEqual({
      coordinates: [
        'MarketTerms.acceptingOrders',
        'ProvenanceExchangeV1Market.acceptingOrders',
        'ProvenanceExchangeV1Market_Input.acceptingOrders',
      ],
      documents: { 'pages/market.graphql: Market': ['ProvenanceExchangeV1Market.acceptingOrders'] },
      untested: [],
    });
  });

  it.runIf(runsAll)('with another type of a field or an argument break both', async () => {
    const changed = await breaksOf((next) => {
      next.field(exchangeQuery, 'QueryGetMarketRequest', 'market_id').type = FieldDescriptorProto_Type.STRING;
      next.field(market, 'Market', 'market_id').type = FieldDescriptorProto_Type.STRING;
    });
    expect(changed).toEqual({
      coordinates: [
        ...['Market.id', 'Market.terms'],
        ...['edges', 'nodes', 'totalCount'].map((name) => `MarketCommitmentConnection.${name}`),
        ...['edges', 'nodes', 'totalCount'].map((name) => `MarketOrderConnection.${name}`),
        ...['PageInfo.endCursor', 'PageInfo.startCursor'],
        'ProvenanceExchangeV1Market.marketId',
        'ProvenanceExchangeV1Market_Input.marketId',
        'ProvenanceExchangeV1Queries.getMarket.marketId',
        ...['Query.market', 'Snapshot.market'],
      ],
      documents: {
        'pages/market.graphql: Market': [
          'ProvenanceExchangeV1Queries.getMarket.marketId',
          'Variable "$id" of type "UInt64" used in position expecting type "String".',
        ],
        'trusted.json market': [
          'Query.module of provenance.exchange.v1.Query/GetMarket: `request.marketId` must be of the type of field provenance.exchange.v1.QueryGetMarketRequest.market_id: expected string, got 1.',
        ],
      },
      untested: ['provenance.exchange.v1.QueryGetMarketRequest.market_id has the type string instead of uint32'],
    });
  });

  it.runIf(runsAll)('without a method break it, the types that only it reaches, and the calls of it by `module`', async () => {
    expect(await breaksOf((next) => next.removeMethod(exchangeQuery, 'GetMarket'))).toEqual({
      coordinates: [
        ...['ProvenanceExchangeV1Queries.getMarket', 'ProvenanceExchangeV1QueryGetMarketResponse'],
        ...['Query.market', 'Snapshot.market'],
      ],
      documents: {
        'pages/market.graphql: Market': ['ProvenanceExchangeV1Queries.getMarket'],
        'trusted.json market': [
          expect.stringMatching(/^Query\.module of provenance\.exchange\.v1\.Query\/GetMarket: `method` must be/),
        ],
      },
      untested: [],
    });
  });

  it.runIf(runsAll)('without a value of an enum break it, and the documents that name it', async () => {
    const changed = await breaksOf((next) => {
      const status = next.file('cosmos/gov/v1beta1/gov.proto').enumType.find(({ name }) => name === 'ProposalStatus')!;
      status.value = status.value.filter(({ name }) => name !== 'PROPOSAL_STATUS_PASSED');
    });
    expect(changed).toEqual({
      coordinates: ['CosmosGovV1beta1ProposalStatus.PROPOSAL_STATUS_PASSED'],
      documents: { 'trusted.json passed': ['CosmosGovV1beta1ProposalStatus.PROPOSAL_STATUS_PASSED'] },
      untested: [],
    });
  });

  it.runIf(runsAll)('with another package break everything in it', async () => {
    const renamed = await breaksOf((next) => {
      const text = Buffer.from(next.bytes()).toString('latin1');
      const set = fromBinary(
        FileDescriptorSetSchema,
        Buffer.from(text.replaceAll('cosmos.quarantine.v1beta1', 'cosmos.quarantine.v2beta1'), 'latin1'),
      );
      next.set.file = set.file;
    });
    expect(renamed.coordinates).toContain('CosmosQuarantineQueries.v1beta1');
    expect(renamed.coordinates).toContain('CosmosQuarantineV1beta1Queries');
    expect(renamed.coordinates.filter((each) => !/^(CosmosQuarantine|TypedMessage)/.test(each))).toEqual([]);
    expect(renamed.documents).toEqual({
      'trusted.json quarantine': [expect.stringContaining('cosmos.quarantine.v1beta1.Query/QuarantinedFunds')],
    });
  });

  it.runIf(runsAll)('that Stele decodes by hand break the fields whose values they change', { timeout: 60_000 }, async () => {
    const changed = await breaksOf((next) => {
      // Types of the chain find a field by its name; the code has its number.
      next.field('cosmos/group/v1/types.proto', 'GroupInfo', 'metadata').number = 19;
      next.removeMethod('cosmos/bank/v1beta1/query.proto', 'SupplyOf');
      const options = next.file('cosmos/group/v1/types.proto').enumType.find(({ name }) => name === 'VoteOption')!;
      options.value = options.value.filter(({ name }) => name !== 'VOTE_OPTION_YES');
    });
    expect(changed).toEqual({
      coordinates: [
        'CosmosBankV1beta1Queries.supplyOf',
        'CosmosBankV1beta1QuerySupplyOfResponse',
        'CosmosGroupV1VoteOption.VOTE_OPTION_YES',
        'Group.metadata',
        'Holder.supplyPercent',
        'Marker.circulation',
        'Query.supplyOf',
        'Snapshot.supplyOf',
        'Vote.option',
      ],
      documents: {
        'trusted.json group: Group': ['Group.metadata'],
        'trusted.json supply: Supply': ['Query.supplyOf'],
        'trusted.json votes: Votes': ['Vote.option'],
      },
      untested: [],
    });
  });

  it.runIf(runsAll)('without a module that Stele reads by hand break its fields', { timeout: 60_000 }, async () => {
    const changed = await breaksOf((next) => {
      next.set.file = next.set.file.filter(({ name }) => !name.startsWith('provenance/hold/'));
    });
    expect(changed).toEqual({
      coordinates: [
        'Account.holds',
        'ProvenanceHoldQueries',
        'ProvenanceHoldV1AccountHold',
        'ProvenanceHoldV1GetAllHoldsResponse',
        'ProvenanceHoldV1GetHoldsResponse',
        'ProvenanceHoldV1MsgUnlockVestingAccountsRequest',
        'ProvenanceHoldV1Queries',
        'ProvenanceQueries.hold',
        'TypedMessage',
      ],
      documents: {
        'trusted.json holds: Holds': ['Account.holds'],
        'trusted.json unlock': ['ProvenanceHoldV1MsgUnlockVestingAccountsRequest'],
      },
      untested: ['provenance.hold.v1.EventHoldAdded is gone', 'provenance.hold.v1.EventHoldReleased is gone'],
    });
  });
});

describe('npm run upgrade', () => {
  let node: ReplayNode;
  beforeAll(async () => {
    node = await createReplayNode();
  });
  afterAll(() => node.close());

  const documents = () => ['pages', 'trusted.json'].flatMap((name) => ['--documents', join(folder, name)]);
  const run = (...args: string[]) => runUpgrade(['--node', node.url, ...documents(), ...args]);

  it.runIf(runsAll)('exits with 0 for equal descriptors, of a node or of a file', async () => {
    expect(await run('--to', node.url)).toEqual({
      exitCode: 0,
      output: 'upgrade: 0 coordinates and 0 of 11 documents break\n',
    });
  });

  it.runIf(runsAll)('exits with 1 and prints each coordinate and document that breaks', async () => {
    const next = new Changed();
    next.removeMethod('cosmos/staking/v1beta1/query.proto', 'Params');
    const path = join(folder, 'next.binpb.gz');
    writeFileSync(path, gzipSync(next.bytes()));
    const { exitCode, output } = await run('--to', path);
    expect(exitCode).toBe(1);
    expect(output.replaceAll(folder, '')).toBe(`By coordinate:
  AccountStaking.total: reads cosmos.staking.v1beta1.Query/Params, which is gone
  CosmosStakingV1beta1Queries.params: Field 'params' was removed from object type 'CosmosStakingV1beta1Queries'
  CosmosStakingV1beta1QueryParamsResponse: Type 'CosmosStakingV1beta1QueryParamsResponse' was removed
  StakeMove.balance: reads cosmos.staking.v1beta1.Query/Params, which is gone
  StakingPool.bonded: reads cosmos.staking.v1beta1.Query/Params, which is gone
  Validator.tokens: reads cosmos.staking.v1beta1.Query/Params, which is gone

By document:
  /trusted.json params: CosmosStakingV1beta1Queries.params

upgrade: 6 coordinates and 1 of 11 documents break
`);
  });

  it.each([
    [['--node', 'http://127.0.0.1:9'], '--node and --to are required. See --help.'],
    [['--what'], "Unknown option '--what'"],
    [['--to', '/nowhere', '--node', 'x'], 'A node needs a URL'],
  ])('exits with 2 for %s', async (args, message) => {
    const { exitCode, output } = await runUpgrade(args);
    expect([exitCode, output]).toEqual([2, expect.stringContaining(message)]);
  });

  it.runIf(runsAll)('exits with 2 for a file without descriptors, and for documents that do not parse', async () => {
    const path = join(folder, 'pages/wrong.graphql');
    writeFileSync(path, '{ group(');
    expect(await run('--to', path)).toMatchObject({ exitCode: 2, output: expect.stringContaining('wrong.graphql') });
    rmSync(path);
    const empty = join(folder, 'empty.binpb');
    writeFileSync(empty, '');
    expect(await run('--to', empty)).toMatchObject({
      exitCode: 2,
      output: `upgrade: ${empty} is no file of descriptors: the descriptors contain no file.\n`,
    });
  });

  it('prints how it is used', async () => {
    expect(await runUpgrade(['--help'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^Usage: npm run upgrade/),
    });
    expect(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).toContain(
      '"upgrade": "tsx scripts/upgrade.ts"',
    );
  });
});
