// What a team writes in a day: graphql-yoga whose resolvers query the node's RPC with `fetch`, one `abci_query` each. The
// argument is the URL of the node. A second argument caches responses for that many milliseconds.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { useResponseCache } from '@graphql-yoga/plugin-response-cache';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { QueryClientImpl } from 'cosmjs-types/cosmos/group/v1/query';
import {
  ProposalStatus,
  proposalExecutorResultToJSON,
  proposalStatusToJSON,
  voteOptionToJSON,
} from 'cosmjs-types/cosmos/group/v1/types';
import DataLoader from 'dataloader';
import { GraphQLScalarType } from 'graphql';
import { createSchema, createYoga } from 'graphql-yoga';
import { listen } from './listen.js';

const [node, ttl] = process.argv.slice(2);
if (node === undefined) throw new Error('usage: yoga.js NODE [TTL]');

const group = new QueryClientImpl({
  async request(service, method, data) {
    const params = { path: `/${service}/${method}`, data: Buffer.from(data).toString('hex') };
    const response = await fetch(node, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'abci_query', params }),
    });
    const { result, error } = await response.json();
    if (error !== undefined || result.response.code !== 0) throw new Error(error?.data ?? result.response.log);
    return Buffer.from(result.response.value ?? '', 'base64');
  },
});

/** One loader for each kind of object, so that a request reads equal objects once. */
const createLoaders = () => {
  const each = (read, cacheKeyFn = String) =>
    new DataLoader((keys) => Promise.all(keys.map(read)), { batch: false, cacheKeyFn });
  return {
    policies: each((address) => group.GroupPolicyInfo({ address })),
    groups: each((id) => group.GroupInfo({ groupId: BigInt(id) })),
    members: each(([id, first]) => group.GroupMembers({ groupId: id, pagination: pageOf(first) })),
  };
};

const pageOf = (limit, offset = 0n, countTotal = false) => ({
  key: new Uint8Array(),
  limit: BigInt(limit),
  offset,
  countTotal,
  reverse: false,
});
const timeText = ({ seconds, nanos }) =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(nanos).padStart(9, '0')}Z`;
/** The chain has no tally of these proposals. */
const withoutTally = new Set([ProposalStatus.PROPOSAL_STATUS_ABORTED, ProposalStatus.PROPOSAL_STATUS_WITHDRAWN]);
/** The messages that the server decodes. */
const decoders = new Map([['/cosmos.bank.v1beta1.MsgSend', MsgSend]]);
const account = (address) => ({ address });

const resolvers = {
  JSON: new GraphQLScalarType({ name: 'JSON' }),
  Query: {
    // The chain lists the oldest proposals first, so the newest are the last page.
    async proposalsByGroupPolicy(_, { address, first }) {
      const { pagination } = await group.ProposalsByGroupPolicy({ address, pagination: pageOf(1, 0n, true) });
      const total = pagination.total;
      const offset = total > BigInt(first) ? total - BigInt(first) : 0n;
      const { proposals } = await group.ProposalsByGroupPolicy({ address, pagination: pageOf(first, offset) });
      return { totalCount: String(total), pageInfo: { hasNextPage: offset > 0n }, nodes: proposals.toReversed() };
    },
  },
  Proposal: {
    id: ({ id }) => String(id),
    status: ({ status }) => proposalStatusToJSON(status),
    executorResult: ({ executorResult }) => proposalExecutorResultToJSON(executorResult),
    votingPeriodEnd: ({ votingPeriodEnd }) => timeText(votingPeriodEnd),
    proposers: ({ proposers }) => proposers.map(account),
    tally: async ({ id, status }) => (withoutTally.has(status) ? null : (await group.TallyResult({ proposalId: id })).tally),
    votes: async ({ id }, { first }) => ({
      nodes: (await group.VotesByProposal({ proposalId: id, pagination: pageOf(first) })).votes,
    }),
    groupPolicy: async ({ groupPolicyAddress }, _, { policies }) => (await policies.load(groupPolicyAddress)).info,
    messages: ({ messages }) => messages,
  },
  Vote: {
    option: ({ option }) => voteOptionToJSON(option),
    submitTime: ({ submitTime }) => timeText(submitTime),
    voter: ({ voter }) => account(voter),
  },
  GroupPolicy: { group: async ({ groupId }, _, { groups }) => (await groups.load(String(groupId))).info },
  Group: {
    id: ({ id }) => String(id),
    members: async ({ id }, { first }, { members }) => ({ nodes: (await members.load([id, first])).members }),
  },
  Member: {
    weight: ({ member }) => member.weight,
    account: ({ member }) => account(member.address),
  },
  Message: {
    type: ({ typeUrl }) => typeUrl,
    value: ({ value }) => Buffer.from(value).toString('base64'),
    json({ typeUrl, value }) {
      const type = decoders.get(typeUrl);
      return type && { ...type.toJSON(type.decode(value)), '@type': typeUrl };
    },
  },
};

const yoga = createYoga({
  schema: createSchema({ typeDefs: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), resolvers }),
  context: createLoaders,
  plugins: ttl === undefined ? [] : [useResponseCache({ session: () => null, ttl: Number(ttl) })],
  logging: false,
});
await listen(createServer(yoga));
