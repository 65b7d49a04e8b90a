import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { runsAll } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const contract = 'wasm14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9s0phg4d';
const alice = 'wasm18s5lynnmx37hq4wlrw9gdn68sg2uxp5r23gln4';
const bob = 'wasm1qwexv7c6sm95lwhzn9027vyu2ccneaqa0jvzfy';
const secondContract = 'wasm1cnuw3f076wgdyahssdkd0g3nr96ckq8cwa2mh029fn5mgf2fmcms9ax00l';
const execution = '2A7C37DF2C39333A9CD3BA9DEA1C35AA3D26B773A67ABA91CA6D4F9860A9DBFC';

/** The recorded transactions that store a code, create a contract, migrate it, give it away, free it, and five that the chain refused. */
const lifeOfContract = [
  '42541E45F600A522A8377A47AB2F5CFB263D3E9B9666E9BE7FFE8B1C91FFAD67',
  '29912BAF35EA59D6CA6078969FC3409946FFAE796734C68B68AB67C0135284BC',
  'B7930AB21E1C8DAAAE7076D9AC429ED69AC76D7B9A6470270659DBFE952DF906',
  '4BF648C4987D830AEEA38243C87C4AC5ADEEAD5F4A70EB84A2906D5E141E844B',
  '91B809B12A68BCC645F60AD3C6FA8388AF81EE6B53E2C564DACA4D6A3BC530DD',
  '604062F01667266A4C3AFCF765BBC802D0E97216DD21F5BE97DF76819AAF2A4C',
  'F0A5DC934928CCD04E4804AEFD89456D4F401E5AEB66A5589ED85AC54CDD5B87',
  '5DD7C4C681A5AF81D43FD44844E22873EC15CE0264F4839EF3BE3C83F4A1616A',
  '29A31F8267E6CB4AA7026126784812662CB593519289273EA44C8619828EC37D',
  'A7683F80C6E93C413AE9CE389129B5E1E77134E126DD79C514AFE91D29DD7794',
];

let node: CallsNode;
let stack: Stack;

beforeAll(async () => {
  node = await createCallsNode('contracts');
});
// Each test has a server with nothing in memory.
beforeEach(async () => {
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
  node.calls.length = 0;
});
afterEach(async () => {
  await stack.close();
  expect(stack.masked).toEqual([]);
});
afterAll(async () => {
  await node.close();
  expect(node.unrecorded).toEqual([]);
});

async function ask(query: string, height?: string) {
  const { body } = await stack.ask(query, {}, height === undefined ? {} : { 'x-cosmos-block-height': height });
  return body;
}

/** The queries so far, by their methods. The prefix of addresses is read once for the chain. */
function queries(): readonly string[] {
  return node.calls
    .filter((path) => path.startsWith('/') && !path.endsWith('/Bech32Prefix'))
    .map((path) => path.slice(path.lastIndexOf('/') + 1));
}

const base64Json = (text: string) => JSON.parse(Buffer.from(text, 'base64').toString());

const whole = `{ contract(address: "${contract}") {
  address account { address } codeId creator { address } admin { address } label created { height index } ibcPort info
  code { id creator { address } checksum access permitted { address } }
  history { totalCount nodes { operation codeId message updated { height index } code { id } } }
  state(first: 1) { totalCount nodes { key keyText value json } pageInfo { hasNextPage } }
  query(msg: { verifier: {} })
} }`;

describe('a contract', () => {
  it('is as the REST of the node shows it, and takes one call for each of its parts', async () => {
    const { data, errors } = await ask(whole);
    expect(errors).toBeUndefined();
    const rest = (path: string) => node.rest(path) as never;
    const { contract_info: info } = rest(`/cosmwasm/wasm/v1/contract/${contract}`) as Record<string, never>;
    const { entries } = rest(`/cosmwasm/wasm/v1/contract/${contract}/history`) as { entries: Record<string, never>[] };
    const { models } = rest(`/cosmwasm/wasm/v1/contract/${contract}/state`) as { models: { key: string; value: string }[] };
    const code = rest('/cosmwasm/wasm/v1/code-info/1') as Record<string, never>;
    const place = ({ block_height: height, tx_index: index }: Partial<Record<string, string>>) => ({ height, index });
    const { code_id: codeId, creator, admin, label, created } = info as unknown as Record<string, never>;
    expect(entries).toHaveLength(1);
    expect(models).toHaveLength(1);
    expect(data).toEqual({
      contract: {
        ...{ address: contract, account: { address: contract }, codeId, label, info: null, ibcPort: null },
        ...{ creator: { address: creator }, admin: { address: admin }, created: place(created ?? {}) },
        code: {
          ...{ id: codeId, creator: { address: code.creator }, checksum: code.checksum },
          ...{ access: 'ACCESS_TYPE_EVERYBODY', permitted: [] },
        },
        history: {
          totalCount: '1',
          nodes: entries.map(({ operation, code_id, msg, updated }) => ({
            ...{ operation, codeId: code_id, message: msg, updated: place(updated ?? {}), code: { id: code_id } },
          })),
        },
        state: {
          totalCount: null,
          nodes: models.map(({ key, value }) => ({ key, keyText: 'config', value, json: base64Json(value) })),
          pageInfo: { hasNextPage: false },
        },
        query: { verifier: alice },
      },
    });
    const methods = [
      'AllContractState',
      'CodeInfo',
      'ContractHistory',
      'ContractInfo',
      'RawContractState',
      'SmartContractState',
    ];
    expect(queries().toSorted()).toEqual(methods);
    node.calls.length = 0;
    expect((await ask(whole)).data).toEqual(data);
    expect(queries()).toEqual([]);
  });

  it('is null before its creation, for other accounts, and for a code that does not exist; this is asked once', async () => {
    const document = `{ contract(address: "${contract}") { label } account(address: "${contract}") { contract { label } } }`;
    expect(await ask(document, '67')).toMatchObject({ data: { contract: null, account: { contract: null } } });
    expect(await ask(document, '68')).toMatchObject({
      data: { contract: { label: 'one' }, account: { contract: { label: 'one' } } },
    });
    expect(queries()).toEqual(['ContractInfo', 'ContractInfo']);
    node.calls.length = 0;
    // Three documents, because the answer to one that was asked before is kept as a whole.
    for (const [field, ofCode] of [
      ['label', 'checksum'],
      ['codeId', 'access'],
      ['ibcPort', 'id'],
    ]) {
      const none = `{ account(address: "${alice}") { contract { ${field} } } contractCode(id: "77") { ${ofCode} } }`;
      expect((await ask(none)).data).toEqual({ account: { contract: null }, contractCode: null });
    }
    expect(queries().toSorted()).toEqual(['CodeInfo', 'ContractInfo']);
  });

  it('fails alone in a query that it refuses, or that needs more gas than the node gives', async () => {
    const { data, errors } = await ask(`{ contract(address: "${contract}") { label
      good: query(msg: { verifier: {} }) unknown: query(msg: { nope: {} })
      long: query(msg: { recurse: { depth: 100, work: 100000 } }) text: query(msg: "verifier") list: query(msg: [])
    } }`);
    expect(data).toEqual({
      contract: { label: 'one', good: { verifier: alice }, unknown: null, long: null, text: null, list: null },
    });
    const found = new Map(errors!.map(({ path, extensions }) => [path!.at(-1), extensions]));
    expect(found.get('unknown')).toMatchObject({ code: 'ABCI_QUERY_FAILED', abciCode: 6, codespace: 'sdk' });
    expect(found.get('unknown')!.log).toMatch(/^Error parsing into type hackatom::msg::QueryMsg: unknown variant `nope`/);
    expect(found.get('long')!.log).toMatch(/^out of gas in location: Wasm engine function execution; gasWanted: 3000000/);
    for (const name of ['text', 'list']) expect(found.get(name)).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'msg' });
    expect(queries().filter((method) => method === 'SmartContractState')).toHaveLength(3);
  });

  it('refuses the arguments that the chain refuses for its state', async () => {
    for (const argument of ['offset: 1', 'reverse: true']) {
      const { errors } = await ask(`{ contract(address: "${contract}") { state(${argument}) { nodes { key } } } }`);
      expect(errors![0]!.message).toContain('Unknown argument');
    }
    expect(queries()).toEqual([]);
  });
});

describe('the events of a contract', () => {
  it('name the contract, what was called and what it wrote, in words too', async () => {
    const { data, errors } = await ask(`{ transaction(hash: "${execution}") { contractEvents {
      type contract { address } action msgIndex attributes { key value } inWords
    } } }`);
    expect(errors).toBeUndefined();
    const destination = 'wasm1qwexv7c6sm95lwhzn9027vyu2ccneaqa0jvzfy';
    const shared = { contract: { address: contract }, msgIndex: 0 };
    const action = { key: 'action', value: 'release' };
    expect((data as { transaction: { contractEvents: unknown } }).transaction.contractEvents).toEqual([
      { ...shared, type: 'execute', action: null, attributes: [], inWords: `the contract ${contract} is executed` },
      {
        ...{ ...shared, type: 'wasm', action: 'release', attributes: [action, { key: 'destination', value: destination }] },
        inWords: `the contract ${contract} reports “release”: “destination” “${destination}”`,
      },
      {
        ...{ ...shared, type: 'wasm-hackatom', action: 'release', attributes: [action] },
        inWords: `the contract ${contract} reports “hackatom” and “release”`,
      },
    ]);
  });
});

describe('the messages of the life of a contract', () => {
  it.runIf(runsAll)('are in words as they were recorded, also those that the chain refused', async () => {
    const later = await createCallsNode('contracts', { head: '5870' });
    const laterStack = await startStack([later.url]);
    try {
      const words: unknown[] = [];
      for (const hash of lifeOfContract) {
        const { body } = await laterStack.ask(
          `{ transaction(hash: "${hash}") { code messages { inWords } contractEvents { inWords } } }`,
        );
        expect(body.errors).toBeUndefined();
        const { transaction } = body.data as {
          transaction: { code: number; messages: [{ inWords: string }]; contractEvents: { inWords: string }[] };
        };
        const events = transaction.contractEvents.map(({ inWords }) => inWords);
        const texts = [transaction.messages[0].inWords, ...events];
        words.push([
          transaction.code,
          ...texts.map((each) => each.replaceAll(secondContract, 'C').replaceAll(alice, 'alice').replaceAll(bob, 'bob')),
        ]);
      }
      expect(words).toMatchInlineSnapshot(`
        [
          [
            0,
            "bob stores the code of a contract, 66475 bytes",
          ],
          [
            0,
            "bob creates the contract “a second one” from code 1, with 7 stake: verifier “bob” and beneficiary “alice”",
            "the contract C is created with code 1",
            "the contract C reports an event: “Let the” “hacking begin”",
          ],
          [
            0,
            "bob migrates the contract C to code 2: verifier “alice”",
            "the contract C is migrated with code 2",
          ],
          [
            0,
            "bob makes alice the administrator of the contract C",
            "the contract C gets the administrator alice",
          ],
          [
            0,
            "alice removes the administrator of the contract C",
            "the contract C has no administrator any more",
          ],
          [
            4,
            "bob migrates the contract C to code 2: verifier “alice”",
          ],
          [
            5,
            "bob executes “nope” of the contract C",
          ],
          [
            22,
            "bob executes “nope” of the contract bob",
          ],
          [
            28,
            "bob creates the contract “x” from code 99",
          ],
          [
            5,
            "bob executes “release” of the contract C",
          ],
        ]
      `);
      expect(later.unrecorded).toEqual([]);
    } finally {
      await laterStack.close();
      await later.close();
    }
  });
});
