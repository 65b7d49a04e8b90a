import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lie, lieKinds, lieProofs } from '../../../packages/devnet/src/abci/abci.ts';
import { headerForgeries, type NodeLie } from '../../../packages/devnet/src/node/faults/falseHeaders.ts';
import { createRandomChanges } from '../../../packages/devnet/src/node/faults/randomChanges.ts';
import { type Verified, verify, verifyBundle } from '../../../packages/verify/src/answer/index.ts';
import type { BundleJson } from '../../../packages/verify/src/bundle.ts';
import { ProofError } from '../../../packages/verify/src/index.ts';
import { createClient } from '../../../src/chain/client.ts';
import { createLightClient, type Evidence } from '../../../src/chain/lightClient/lightClient.ts';
import { verifiedNodes } from '../../../src/chain/lightClient/verifiedNodes.ts';
import { explainRequests } from '../../../src/chain/proofs/answerProofs.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import { proofRequests } from '../../../src/modules/group/recorder/proofRequests.ts';
import { QueryBalanceRequestSchema } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { runsAll, seed, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { proveBundle, setOf } from '../../support/proofs.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const soon = { milliseconds: 20_000 };

const document = `query Everything($id: ID!, $policy: String!, $group: ID!, $one: String!, $voter: String!) {
  proposal(id: $id) {
    id title status executorResult finalTallyResult { yesCount noCount } tally { yesCount abstainCount noCount }
    votes { nodes { voter { address } option } }
    groupPolicy { address group { id totalWeight } }
    outcome { decision votedPercent }
  }
  groupPolicy(address: $policy) { proposals { nodes { id title status } } }
  group(id: $group) { totalWeight members { nodes { account { address } weight } } }
  account(address: $one) { invented: balance(denom: "invented") { amount } nhash: balance(denom: "nhash") { amount } }
  voter: account(address: $voter) { votes { nodes { proposalId option } } }
}`;

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
  readonly extensions?: { readonly height?: string; readonly proof?: BundleJson | null };
}

let chain: TestChain;
let group: TestGroup;
let variables: Readonly<Record<string, string>>;
/** A server over the second node, which never lies. */
let honest: Stack;
let trusted: string;

beforeAll(async () => {
  chain = await startChain({
    nodes: 2,
    cosigners: () => [
      { seed: 'b', power: 900_000_000n },
      { seed: 'c', power: 10n },
    ],
  });
  const [one, two, three, four] = chain.accounts as [never, never, never, never];
  group = await createGroup(
    chain,
    [
      [one, '1'],
      [two, '2'],
      [three, '3'],
      [four, '4'],
    ],
    { threshold: '10', votingSeconds: 10_000 },
  );
  const id = await submitProposal(chain, group, one, { title: 'First' });
  for (const voter of [one, two, three]) await chain.run(voter, vote(voter, id, 'YES'));
  await submitProposal(chain, group, one, { title: 'Second' });
  const { address } = chain.accounts[0]!;
  variables = { id: `${id}`, policy: group.policy, group: `${group.id}`, one: address, voter: chain.accounts[1]!.address };
  honest = await startWithProofs(1).then(({ stack }) => stack);
  await nextBlock(honest);

  trusted = Buffer.from(setOf((await ask(honest)).extensions!.proof!).hash).toString('hex');
});
afterAll(async () => {
  await honest.close();
  await chain.devnet.close();
});

async function startWithProofs(node: number): Promise<{ readonly stack: Stack; readonly evidence: Evidence[] }> {
  const evidence: Evidence[] = [];
  const light = createLightClient({ onEvidence: (one) => evidence.push(one) });
  const stack = await startStack([chain.devnet.nodes[node]!.url], { upstream: { light } });
  await stack.client.head.waitFor(chain.devnet.height, soon);
  return { stack, evidence };
}

/** Commits a block. With several servers, those over sound headers wait for it. */
async function nextBlock(...stacks: readonly Stack[]): Promise<void> {
  const height = await chain.devnet.commit();
  for (const { client } of stacks) await client.head.waitFor(height, soon);
}

async function ask({ server }: Stack, height?: string): Promise<Answer> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(height !== undefined && { 'x-cosmos-block-height': height }),
    },
    body: JSON.stringify({ query: document, variables, extensions: { proof: true } }),
  });
  return (await response.json()) as Answer;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The paths of the proven fields whose values are not the true ones. */
function falseFields(fields: Verified['fields'], data: unknown, truth: unknown, path = ''): readonly string[] {
  const level = fields.get(path)?.level;
  const isProven = level === 'PROVEN' || level === 'RECOMPUTED';
  if (Array.isArray(data) || Array.isArray(truth)) {
    const [claims, facts] = [data, truth].map((list): readonly unknown[] => (Array.isArray(list) ? list : []));
    if (isProven && claims!.length !== facts!.length) return [`${path}.length`];
    return claims!.flatMap((claim, index) => falseFields(fields, claim, facts![index], path));
  }
  if (isObject(data)) {
    const facts = isObject(truth) ? truth : {};
    if (isProven && !isObject(truth)) return [path];
    return Object.entries(data).flatMap(([name, value]) =>
      falseFields(fields, value, facts[name], path === '' ? name : `${path}.${name}`),
    );
  }
  return isProven && data !== truth ? [path] : [];
}

/**
 * Compares what a bundle proves of methods with what they really answer. Returns the number of proven answers. Rejects with a {@link ProofError} if the bundle does not
 * verify.
 */
async function checkBundle(bundle: BundleJson, of: string): Promise<number> {
  const { answers, height } = await proveBundle(bundle);
  for (const [request, proven] of answers) {
    const [path = '', hex = ''] = request.split(' ');
    const input = { path, data: Buffer.from(hex, 'hex'), height, prove: false };
    const { value, code } = chain.devnet.application.query({ ...input, latestHeight: chain.devnet.height, earliestHeight: 1n });
    if ('refusal' in proven) expect(proven.refusal.code, `${of} ${path}`).toBe(code);
    else expect(Buffer.from(proven.value).toString('hex'), `${of} ${path}`).toBe(Buffer.from(value!).toString('hex'));
  }
  return answers.size;
}

/** What became of an answer. */
type Outcome = 'REFUSED BY THE SERVER' | 'REFUSED BY THE VERIFIER' | 'ACCEPTED';

/** Asks a server over the lying node, and verifies the answer. Fails for a proven field, or a proven answer of a method, that is not true. */
async function tryAnswer(stack: Stack, of: string): Promise<Outcome> {
  const answer = await ask(stack);
  const { proof, height } = answer.extensions ?? {};
  if (proof == null) {
    expect(answer.errors, of).not.toEqual([]);
    return 'REFUSED BY THE SERVER';
  }
  let outcome: Outcome = 'ACCEPTED';
  try {
    const verified = await verify(answer, { document, variables, trust: { validatorsHash: trusted } });
    const truth = await ask(honest, height!);
    expect(falseFields(verified.fields, answer.data, truth.data), of).toEqual([]);
    expect([...verified.fields.values()].filter(({ level }) => level === 'PROVEN').length).toBeGreaterThan(10);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    outcome = 'REFUSED BY THE VERIFIER';
  }
  await checkBundle(proof, of).catch((error: unknown) => expect(error, of).toBeInstanceOf(ProofError));
  return outcome;
}

const cases: readonly NodeLie[] = lieKinds.flatMap((kind) => [
  ...lieProofs.map((proofs): NodeLie => ({ kind, proofs })),
  ...headerForgeries.map((headers): NodeLie => ({ kind, proofs: 'rebuilt', headers })),
]);

describe('answers of a server whose only node lies', () => {
  const outcomes: { readonly lie: NodeLie; readonly outcome: Outcome }[] = [];

  it('are accepted while it says the truth, with all fields of groups proven', async () => {
    const { stack } = await startWithProofs(0);
    try {
      await nextBlock(stack, honest);
      expect(await tryAnswer(stack, 'truth')).toBe('ACCEPTED');
    } finally {
      await stack.close();
    }
  });

  it.each(
    some(cases, 5).map(
      (lie) => [`${lie.kind}, ${lie.proofs} proofs${lie.headers ? `, ${lie.headers} headers` : ''}`, lie] as const,
    ),
  )('have no proven field that is not true: %s', async (name, lie) => {
    const { stack, evidence } = await startWithProofs(0);
    try {
      chain.node.faults.lie = lie;
      // Three, so that an old state is one before the group had its proposals.
      for (let block = 0; block < 3; block += 1) await nextBlock(...(lie.headers === undefined ? [stack] : []), honest);
      const outcome = await tryAnswer(stack, name);
      outcomes.push({ lie, outcome });
      if (lie.headers !== undefined) await expect.poll(() => evidence.length).toBeGreaterThan(0);
    } finally {
      chain.node.heal();
      await stack.close();
    }
  });

  it.runIf(runsAll)('are refused wherever the lie concerns what is asked', () => {
    const accepted = outcomes.filter(({ outcome }) => outcome === 'ACCEPTED');
    // What these lies change of the answer is not proven, so it is no more than asserted.
    const unproven: readonly Lie['kind'][] = ['absentAsPresent', 'presentAsAbsent', 'oldState'];
    expect(accepted.filter(({ lie }) => !unproven.includes(lie.kind))).toEqual([]);
    expect(outcomes.length).toBe(cases.length);
  });

  it('have no proven field that is not true if the answers of the node are changed at random', {
    timeout: 300_000,
  }, async () => {
    const { stack } = await startWithProofs(0);
    const counts: Record<Outcome, number> = { 'REFUSED BY THE SERVER': 0, 'REFUSED BY THE VERIFIER': 0, ACCEPTED: 0 };
    const change = createRandomChanges({ seed, share: 0.02 });
    try {
      // Of the state alone: a changed header is refused before anything is read.
      chain.node.faults.forge = (call, result) => (call.method === 'abci_query' ? change(call, result) : result);
      for (let tries = 0; tries < (runsAll ? 200 : 5); tries += 1) {
        await nextBlock(stack, honest);
        counts[await tryAnswer(stack, `try ${tries}`)] += 1;
      }
    } finally {
      chain.node.heal();
      await stack.close();
    }
    expect(counts.ACCEPTED).toBeGreaterThan(0);
  });
});

describe('proofs of answers over a node whose answers are changed at random', () => {
  it('prove nothing that is not true', { timeout: 900_000 }, async () => {
    const wanted = runsAll ? 10_000 : 100;
    const light = createLightClient({});
    let change: ReturnType<typeof createRandomChanges> | undefined;
    let changes = 0;
    const node = http(chain.node.url);
    const changing: Transport = {
      ...node,
      call: (method, params, options) =>
        node.call(method, params, {
          ...options,
          decode(json) {
            const other = change?.({ method, params, via: 'post', batch: 1 }, json) ?? json;
            if (other !== json) changes += 1;
            return options.decode(other);
          },
        }),
    };
    const client = createClient({
      transport: { ...verifiedNodes(light, [changing])[0]!, verification: light },
      light,
      learnsRoots: false,
    });
    const outcomes = { proven: 0, refusedHere: 0, refusedByTheVerifier: 0, answers: 0 };
    const shares = [0.02, 0.3, 0.6].map((share, index) => createRandomChanges({ seed: seed + index, share }));
    const { one = '', group: groupId = '', policy = '', id = '' } = variables;
    const requests = [
      ...proofRequests({ proposalId: BigInt(id), groupPolicyAddress: policy, groupId: BigInt(groupId), height: 0n }),
      ...['nhash', 'invented'].map((denom) => ({
        path: '/cosmos.bank.v1beta1.Query/Balance',
        request: toBinary(QueryBalanceRequestSchema, create(QueryBalanceRequestSchema, { address: one, denom })),
      })),
    ];
    try {
      for (let tries = 0; changes < wanted; tries += 1) {
        // The stores of groups and of balances change, so that nothing is read that was proven before.
        await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `${tries}`));
        await client.head.waitFor(chain.devnet.height, soon);
        const height = chain.devnet.height - 1n;
        change = shares[tries % shares.length];
        const bundle = await client
          .answerProofs!.of(height, explainRequests(requests), { maxKeys: 1_000, maxBytes: 1_000_000 })
          .then((proof) => proof.bundle)
          .catch(() => undefined);
        change = undefined;
        if (bundle === undefined) {
          outcomes.refusedHere += 1;
          continue;
        }
        try {
          await verifyBundle(bundle, { trust: { validatorsHash: trusted }, chainId: chain.devnet.chainId, height });
          outcomes.answers += await checkBundle(bundle, `try ${tries}`);
          outcomes.proven += 1;
        } catch (error) {
          if (!(error instanceof ProofError)) throw error;
          outcomes.refusedByTheVerifier += 1;
        }
      }
    } finally {
      await client.close();
    }
    console.info(`${changes} answers of the node changed: ${JSON.stringify(outcomes)}`);
    expect(outcomes.proven).toBeGreaterThan(0);
  });
});
