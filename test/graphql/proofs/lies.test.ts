import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lie } from '../../../packages/devnet/src/abci/abci.ts';
import type { NodeLie } from '../../../packages/devnet/src/node/faults/falseHeaders.ts';
import { createRandomChanges } from '../../../packages/devnet/src/node/faults/randomChanges.ts';
import { type Verified, verify, verifyBundle } from '../../../packages/verify/src/answer/index.ts';
import type { BundleJson } from '../../../packages/verify/src/bundle.ts';
import { ProofError } from '../../../packages/verify/src/index.ts';
import { createClient } from '../../../src/chain/client.ts';
import { createLightClient, type Evidence } from '../../../src/chain/lightClient/lightClient.ts';
import { verifiedNodes } from '../../../src/chain/lightClient/verifiedNodes.ts';
import { explainRequests } from '../../../src/chain/proofs/answerProofs.ts';
import { decodeAbciReply } from '../../../src/chain/rpc/rpcErrors.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import { proofRequests } from '../../../src/modules/group/recorder/proofRequests.ts';
import { QueryBalanceRequestSchema } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { runsAll, seed, sizeOf, some } from '../../support/atRandom.ts';
import type { TestChain } from '../../support/chain.ts';
import { describeGroup, type TestGroup } from '../../support/groups.ts';
import { allLies, beginLie, liesDocument, nameOfLie, startLiesChain } from '../../support/lies.ts';
import { proveBundle, setOf } from '../../support/proofs.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const soon = { milliseconds: 20_000 };

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
  ({ chain, group, variables } = await startLiesChain());
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
    body: JSON.stringify({ query: liesDocument, variables, extensions: { proof: true } }),
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

/** What a method really answers. */
function truthOf(path: string, data: Uint8Array, height: bigint) {
  const latestHeight = chain.devnet.height;
  return chain.devnet.application.query({ path, data, height, prove: false, latestHeight, earliestHeight: 1n });
}

/**
 * Compares what a bundle proves of methods with what they really answer. Returns the number of proven answers. Rejects with a {@link ProofError} if the bundle does not
 * verify.
 */
async function checkBundle(bundle: BundleJson, of: string): Promise<number> {
  const { answers, height } = await proveBundle(bundle);
  for (const [request, proven] of answers) {
    const [path = '', hex = ''] = request.split(' ');
    const { value, code } = truthOf(path, Buffer.from(hex, 'hex'), height);
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
    const verified = await verify(answer, { document: liesDocument, variables, trust: { validatorsHash: trusted } });
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

  it.each(some(allLies, 40).map((lie) => [nameOfLie(lie), lie] as const))(
    'have no proven field that is not true: %s',
    async (name, lie) => {
      const { stack, evidence } = await startWithProofs(0);
      try {
        await beginLie({ chain, group, variables }, lie);
        await honest.client.head.waitFor(chain.devnet.height, soon);
        if (lie.headers === undefined) await stack.client.head.waitFor(chain.devnet.height, soon);
        const outcome = await tryAnswer(stack, name);
        outcomes.push({ lie, outcome });
        if (lie.headers !== undefined) await expect.poll(() => evidence.length).toBeGreaterThan(0);
      } finally {
        chain.node.heal();
        await stack.close();
      }
    },
  );

  it.runIf(runsAll)('are refused wherever the lie concerns what is asked', () => {
    const accepted = outcomes.filter(({ outcome }) => outcome === 'ACCEPTED');
    // What these lies change of the answer is not proven, so it is no more than asserted.
    const unproven: readonly Lie['kind'][] = ['absentAsPresent', 'presentAsAbsent'];
    expect(accepted.filter(({ lie }) => !unproven.includes(lie.kind))).toEqual([]);
    expect(outcomes.length).toBe(allLies.length);
  });

  it.runIf(runsAll)(
    'have no proven field that is not true if the answers of the node are changed at random',
    {
      timeout: 300_000,
    },
    async () => {
      const { stack } = await startWithProofs(0);
      const counts: Record<Outcome, number> = { 'REFUSED BY THE SERVER': 0, 'REFUSED BY THE VERIFIER': 0, ACCEPTED: 0 };
      const change = createRandomChanges({ seed, share: 0.02 });
      try {
        // Of the state alone: a changed header is refused before anything is read.
        chain.node.faults.forge = (call, result) => (call.method === 'abci_query' ? change(call, result) : result);
        for (let tries = 0; tries < 200; tries += 1) {
          await nextBlock(stack, honest);
          counts[await tryAnswer(stack, `try ${tries}`)] += 1;
        }
      } finally {
        chain.node.heal();
        await stack.close();
      }
      expect(counts.ACCEPTED).toBeGreaterThan(0);
    },
  );
});

describe('a client over a node whose answers are changed at random', () => {
  it.runIf(runsAll)('proves nothing that is not true, and reads nothing that is not true', { timeout: 900_000 }, async () => {
    const wanted = sizeOf({ full: 10_000, ci: 500 });
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
    const transport = { ...verifiedNodes(light, [changing])[0]!, verification: { ...light, provesReads: true } };
    const client = createClient({ transport, light, learnsRoots: false });
    const outcomes = { proven: 0, read: 0, refused: 0, refusedByTheVerifier: 0 };
    const shares = [0.02, 0.3, 0.6].map((share, index) => createRandomChanges({ seed: seed + index, share }));
    const { one = '', group: groupId = '', policy = '', id = '' } = variables;
    const requests = [
      ...proofRequests({ proposalId: BigInt(id), groupPolicyAddress: policy, groupId: BigInt(groupId), height: 0n }),
      ...['nhash', 'invented'].map((denom) => ({
        path: '/cosmos.bank.v1beta1.Query/Balance',
        request: toBinary(QueryBalanceRequestSchema, create(QueryBalanceRequestSchema, { address: one, denom })),
      })),
    ];

    async function readAll(height: bigint, of: string): Promise<void> {
      const reads = requests.map(async ({ path, request }) => {
        const params = { path, data: Buffer.from(request).toString('hex'), height: `${height}`, prove: false };
        const { value } = await client.call('abci_query', params, { decode: (json) => decodeAbciReply(json, height) });
        return { path, request, value };
      });
      for (const read of await Promise.allSettled(reads)) {
        if (read.status === 'rejected') {
          outcomes.refused += 1;
          continue;
        }
        const { path, request, value } = read.value;
        expect(Buffer.from(value ?? []).toString('hex'), `${of} ${path}`).toBe(
          Buffer.from(truthOf(path, request, height).value!).toString('hex'),
        );
        outcomes.read += 1;
      }
    }

    async function proveAll(height: bigint, of: string): Promise<void> {
      const bundle = await client
        .answerProofs!.of(height, explainRequests(requests), { maxKeys: 1_000, maxBytes: 1_000_000 })
        .then((proof) => proof.bundle)
        .catch(() => undefined);
      if (bundle === undefined) {
        outcomes.refused += 1;
        return;
      }
      try {
        await verifyBundle(bundle, { trust: { validatorsHash: trusted }, chainId: chain.devnet.chainId, height });
        outcomes.proven += await checkBundle(bundle, of);
      } catch (error) {
        if (!(error instanceof ProofError)) throw error;
        outcomes.refusedByTheVerifier += 1;
      }
    }

    try {
      await client.head.ready();
      for (let tries = 0; changes < wanted; tries += 1) {
        // The stores of groups and of balances change, so that nothing is read that was proven before.
        await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `${tries}`));
        const height = chain.devnet.height - 1n;
        await client.head.waitFor(height, soon);
        change = shares[tries % shares.length];
        await (tries % 2 === 0 ? readAll : proveAll)(height, `try ${tries}`);
        change = undefined;
      }
    } finally {
      await client.close();
    }
    console.info(`${changes} answers of the node changed: ${JSON.stringify(outcomes)}`);
    expect(Math.min(outcomes.proven, outcomes.read, outcomes.refused)).toBeGreaterThan(0);
  });
});
