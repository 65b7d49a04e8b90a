import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandomChanges } from '../../../packages/devnet/src/node/faults/randomChanges.ts';
import { fromHex, ProofError, verifyKey } from '../../../packages/verify/src/index.ts';
import { createLightClient, type Evidence } from '../../../src/chain/lightClient/lightClient.ts';
import { decodeAbciReply } from '../../../src/chain/rpc/rpcErrors.ts';
import type { JsonValue } from '../../../src/chain/wire/json.ts';
import { createTrustFiles } from '../../../src/start/trustFiles.ts';
import { runsAll, seed, sizeOf } from '../../support/atRandom.ts';
import { allLies, beginLie, type LiesChain, liesDocument, nameOfLie, startLiesChain } from '../../support/lies.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const soon = { milliseconds: 20_000 };

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

let world: LiesChain;
const directories: string[] = [];
/** A server over the second node, which never lies. It believes its node. */
let honest: Stack;

beforeAll(async () => {
  world = await startLiesChain();
  honest = await startStack([world.chain.devnet.nodes[1]!.url]);
});
afterAll(async () => {
  await honest.close();
  await world.chain.devnet.close();
  for (const directory of directories) rmSync(directory, { recursive: true });
});

/** What a file of evidence says. */
interface EvidenceFile {
  readonly kind: string;
  readonly node: string;
  readonly chainId: string;
  readonly code: string;
  readonly reason: string;
  readonly claimed: { readonly height: string; readonly hash: string };
  readonly received: {
    readonly path: string;
    readonly request: string;
    readonly answer: JsonValue;
    readonly proven?: JsonValue;
  };
  readonly trusted: { readonly signed_header: { readonly header: { readonly height: string; readonly app_hash: string } } };
}

/** A server whose only node may lie, and that proves each read. `filesOf` returns the files of evidence once all that was reported is written. */
async function startProven(): Promise<{
  readonly stack: Stack;
  readonly evidence: Evidence[];
  readonly filesOf: () => Promise<readonly EvidenceFile[]>;
}> {
  const evidence: Evidence[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'stele-evidence-'));
  directories.push(directory);
  const files = createTrustFiles(directory, (error) => expect.fail(String(error)));
  const light = createLightClient({
    onEvidence(one) {
      evidence.push(one);
      files.add(one);
    },
  });
  const stack = await startStack([world.chain.node.url], { upstream: { light }, client: { provesReads: true } });
  await stack.client.head.waitFor(world.chain.devnet.height - 1n, soon);
  return {
    stack,
    evidence,
    async filesOf() {
      await files.flushed();
      const folder = join(directory, 'evidence');
      const contents = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as EvidenceFile);
      return contents;
    },
  };
}

/** Fails unless a file of evidence shows by itself that the node did not say the truth: with the signed header that it has, or with the block that the chain has. */
async function expectConviction({ kind, claimed, received, trusted }: EvidenceFile, of: string): Promise<void> {
  const { header } = trusted.signed_header;
  if (kind === 'REFUSED') {
    const truth = await honest.client.call('commit', { height: claimed.height });
    expect(JSON.stringify(truth), of).not.toContain(claimed.hash);
    return;
  }
  const { path, request, answer, proven } = received;
  const height = BigInt(claimed.height);
  expect(BigInt(header.height), of).toBe(height + 1n);
  if (proven !== undefined) {
    expect(answer, of).not.toEqual(proven);
    return;
  }
  const { value, proofOps } = decodeAbciReply(answer, height);
  const [iavl, simple] = ['ics23:iavl', 'ics23:simple'].map((type) => proofOps.find((op) => op.type === type)!.data);
  const [, , store = ''] = path.split('/');
  const key = Buffer.from(request, 'hex');
  expect(
    () => verifyKey({ store, key, value, iavl: iavl!, simple: simple! }, fromHex(header.app_hash, 32, 'an app hash')),
    of,
  ).toThrow(ProofError);
}

async function ask(stack: Stack, height?: string): Promise<{ readonly height: string; readonly answer: Answer }> {
  const { height: at, body } = await stack.ask(
    liesDocument,
    world.variables,
    height === undefined ? {} : { 'x-cosmos-block-height': height },
  );
  return { height: at ?? '', answer: body as unknown as Answer };
}

/** The REST answer of the server as text; undefined for an error. */
async function rest({ server }: Stack, path: string, height: string): Promise<string | undefined> {
  const response = await fetch(`${server.url}/rest${path}`, { headers: { 'x-cosmos-block-height': height } });
  const text = await response.text();
  return response.ok || response.status === 404 ? text : undefined;
}

/** The places where an answer has a value that is not the true one. A null beside errors says nothing. */
function falseValues(data: unknown, truth: unknown, hasErrors: boolean, path = ''): readonly string[] {
  if (data === null && truth !== null) return hasErrors ? [] : [path];
  if (Array.isArray(data)) {
    if (!Array.isArray(truth) || truth.length !== data.length) return [`${path}.length`];
    return data.flatMap((item, index) => falseValues(item, truth[index], hasErrors, `${path}.${index}`));
  }
  if (typeof data === 'object' && data !== null) {
    const facts: Readonly<Record<string, unknown>> = { ...(truth as object) };
    return Object.entries(data).flatMap(([name, value]) => falseValues(value, facts[name], hasErrors, `${path}.${name}`));
  }
  return data === truth ? [] : [path];
}

const paths = (): readonly string[] => {
  const { id, policy, group, one } = world.variables;
  return [
    `/cosmos/group/v1/proposals/${id}/tally`,
    `/cosmos/group/v1/proposal/${id}`,
    `/cosmos/group/v1/votes_by_proposal/${id}`,
    `/cosmos/group/v1/proposals_by_group_policy/${policy}`,
    `/cosmos/group/v1/group_members/${group}`,
    `/cosmos/bank/v1beta1/balances/${one}/by_denom?denom=invented`,
    `/cosmos/bank/v1beta1/balances/${one}/by_denom?denom=nhash`,
  ];
};

/** Asks a server for everything. Returns the number of answers with values, all of which are true. */
async function expectTruth(stack: Stack, of: string): Promise<number> {
  const { height, answer } = await ask(stack);
  let values = 0;
  if (answer.data != null) {
    const truth = await ask(honest, height);
    expect(truth.answer.errors).toBeUndefined();
    expect(falseValues(answer.data, truth.answer.data, answer.errors !== undefined), of).toEqual([]);
    if (answer.errors === undefined) values += 1;
  } else expect(answer.errors, of).not.toEqual([]);
  if (height === '') return values;
  for (const path of paths()) {
    const claim = await rest(stack, path, height);
    if (claim === undefined) continue;
    expect(claim, `${of} ${path}`).toBe(await rest(honest, path, height));
    values += 1;
  }
  return values;
}

describe('a server that proves each read, whose only node lies', () => {
  it('answers while the node says the truth', async () => {
    const { stack, evidence } = await startProven();
    try {
      await world.chain.devnet.commit();
      await stack.client.head.waitFor(world.chain.devnet.height - 1n, soon);
      await honest.client.head.waitFor(world.chain.devnet.height, soon);
      expect(await expectTruth(stack, 'truth')).toBe(1 + paths().length);
      expect(evidence).toEqual([]);
    } finally {
      await stack.close();
    }
  });

  it.each(
    allLies
      .filter((_, index) => index % sizeOf({ full: 1, ci: 3, own: 50 }) === 0)
      .map((lie) => [nameOfLie(lie), lie] as const),
  )('passes on no wrong byte, and has evidence: %s', async (name, lie) => {
    const { stack, evidence, filesOf } = await startProven();
    try {
      await beginLie(world, lie);
      await honest.client.head.waitFor(world.chain.devnet.height, soon);
      if (lie.headers === undefined && lie.proofs === 'true')
        await stack.client.head.waitFor(world.chain.devnet.height - 1n, soon);
      await expectTruth(stack, name);
      await expect.poll(() => evidence.length, { timeout: 10_000 }).toBeGreaterThan(0);
      for (const { node, kind } of evidence) {
        expect(node).toBe('node-1');
        expect(['READ', 'REFUSED']).toContain(kind);
      }
      const reported = evidence.length;
      const files = await filesOf();
      expect(files.length).toBeGreaterThanOrEqual(reported);
      for (const file of files) {
        expect(file).toMatchObject({
          node: 'node-1',
          chainId: world.chain.devnet.chainId,
          reason: expect.stringMatching(/\w/),
        });
        await expectConviction(file, name);
      }
      // Another read of the same finds nothing that was kept of the lie.
      world.chain.node.heal();
      await world.chain.devnet.commit();
    } finally {
      world.chain.node.heal();
      await stack.close();
    }
  });

  it.runIf(runsAll)(
    'passes on no wrong byte if the answers of the node are changed at random',
    { timeout: 300_000 },
    async () => {
      const { stack } = await startProven();
      const change = createRandomChanges({ seed, share: 0.05 });
      let [changes, values] = [0, 0];
      try {
        world.chain.node.faults.forge = (call, result) => {
          const other = call.method === 'abci_query' ? change(call, result) : result;
          if (other !== result) changes += 1;
          return other;
        };
        for (let tries = 0; changes < sizeOf({ full: 500, ci: 100 }); tries += 1) {
          await world.chain.devnet.commit();
          values += await expectTruth(stack, `try ${tries}`);
        }
      } finally {
        world.chain.node.heal();
        await stack.close();
      }
      expect(values).toBeGreaterThan(0);
    },
  );
});
