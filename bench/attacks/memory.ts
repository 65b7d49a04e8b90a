import { bech32 } from '@scure/base';
import type { Attack } from './attack.ts';
import { type FloodRequest, flood } from './flood.ts';

/** A query with a response of about 4 kB from the development chain. */
const groups =
  'groups(first: 20) { nodes { id metadata totalWeight members(first: 20) { nodes { weight metadata account { address } } } policies(first: 20) { nodes { address metadata } } } }';

/** Returns a distinct account for each number. */
function accountOf(serial: number): string {
  const bytes = Buffer.alloc(20, 'stele');
  bytes.writeUIntBE(serial, 0, 6);
  return bech32.encode('tp', bech32.toWords(bytes));
}

function graphql(query: string, variables: Readonly<Record<string, unknown>> = {}): FloodRequest {
  return { path: '/graphql', body: JSON.stringify({ query, variables }) };
}

/** The varying part of the requests, by kind. */
const kinds: readonly ((serial: number, head: bigint) => FloodRequest)[] = [
  // Reads of state.
  (serial) =>
    graphql('query ($of: String!) { account(address: $of) { sequence balances { nodes { denom } } } }', {
      of: accountOf(serial),
    }),
  // Documents of 40 kB with responses of the same size.
  (serial) => {
    const fields = Array.from({ length: 20 }, (_, index) => `a${serial}_${index}_${'x'.repeat(2_000)}: __typename`);
    return graphql(`{ ${fields.join(' ')} }`);
  },
  // Responses that differ by a variable that the document does not use, and by height.
  (serial, head) =>
    graphql(`query ($height: Int64!) { at(height: $height) { ${groups} } }`, {
      height: String((BigInt(serial) % head) + 1n),
      other: `${serial}${'x'.repeat(4_000)}`,
    }),
  // Reads of a raw store, and blocks.
  (serial, head) => {
    const height = String((BigInt(serial) % head) + 1n);
    const read = { path: '/store/bank/key', data: Buffer.from(accountOf(serial)).toString('hex'), height };
    const calls = [
      { method: 'abci_query', params: read },
      { method: 'block_results', params: { height } },
    ];
    return { path: '/comet', body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))) };
  },
];

async function headOf({ url, token }: Parameters<Attack['run']>[0]): Promise<bigint> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{ head { height } }' }),
  });
  const { data } = Object(await response.json());
  return BigInt(data.head.height);
}

/** Distinct queries that fill every cache. No two requests have the same response. */
export const memory: Attack = {
  name: 'memory',
  description: 'distinct heights, documents, variables and reads of state',
  async run(target, options) {
    const head = await headOf(target);
    return flood(target, options, () => (serial) => {
      const make = kinds[serial % kinds.length];
      if (make === undefined) throw new Error('no kind of request');
      return make(serial, head);
    });
  },
};
