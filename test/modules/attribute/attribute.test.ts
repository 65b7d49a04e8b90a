import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type QueryRow, readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: ReplayNode;
let stack: Stack;

beforeAll(async () => {
  node = await createReplayNode();
  stack = await startStack([node.url]);
});
afterAll(async () => {
  await stack.close();
  await node.close();
});

const rows = readRecording('queries').filter(({ path }) => path.startsWith('/provenance.attribute.v1.Query/'));
const named = (name: string): QueryRow => rows.find((row) => row.name === name)!;

const fields = 'nodes { name value valueBase64 attributeType address account { address } expirationDate concreteType json }';

interface WireAttribute {
  readonly name: string;
  readonly value: string;
  readonly attribute_type: string;
  readonly address: string;
  readonly expiration_date?: string;
  readonly concrete_type: string;
}

/** The recorded attribute in the form of the GraphQL schema. */
function shown(attribute: WireAttribute) {
  const bytes = Buffer.from(attribute.value, 'base64');
  const type = attribute.attribute_type;
  return {
    name: attribute.name,
    value: type.endsWith('_BYTES') || type.endsWith('_PROTO') ? attribute.value : bytes.toString(),
    valueBase64: attribute.value,
    attributeType: type,
    address: attribute.address,
    account: { address: attribute.address },
    expirationDate: attribute.expiration_date ?? null,
    concreteType: attribute.concrete_type,
    json: type.endsWith('_JSON') ? JSON.parse(bytes.toString()) : null,
  };
}

async function ask(document: string, variables: Record<string, unknown>, height: string) {
  const { body } = await stack.ask(document, variables, { 'x-cosmos-block-height': height });
  return body as { readonly data: { readonly answer: unknown } | null; readonly errors?: typeof body.errors };
}

const documents: Readonly<Record<string, string>> = {
  Attribute: `query ($account: String!, $name: String!) { answer: attribute(account: $account, name: $name) { ${fields} totalCount } }`,
  Attributes: `query ($account: String!) { answer: attributes(account: $account, first: 100) { ${fields} totalCount } }`,
  Scan: `query ($account: String!, $suffix: String!) { answer: attributeScan(account: $account, suffix: $suffix) { ${fields} totalCount } }`,
};

describe('attributes over recorded responses', () => {
  const whole = rows.filter(
    ({ path, requestJson, response }) =>
      documents[path.split('/').at(-1)!] !== undefined &&
      response.code === 0 &&
      (requestJson.pagination === undefined || (requestJson.pagination as { limit?: string }).limit === '100'),
  );

  it.each(whole.map((row) => [`${row.name} at ${row.height}`, row] as const))(
    '%s',
    async (_, { path, requestJson, decoded, height, name }) => {
      const { data, errors } = await ask(documents[path.split('/').at(-1)!]!, requestJson, height);
      expect(errors).toBeUndefined();
      // The chain compares the suffix unchanged; Stele converts it to lower case first, like names.
      const expected = name.startsWith('Scan PB') ? named(`Scan pb @${height}`).decoded! : decoded!;
      const { attributes, pagination } = expected as unknown as { attributes: WireAttribute[]; pagination: { total: string } };
      expect(data!.answer).toEqual({ nodes: attributes.map(shown), totalCount: pagination.total });
    },
  );

  it('the recordings have attributes of every type', () => {
    const types = new Set(
      whole.flatMap(({ decoded }) =>
        (decoded as unknown as { attributes: WireAttribute[] }).attributes.map((a) => a.attribute_type),
      ),
    );
    expect(types.size).toBe(8);
  });

  it.each([
    ['name: "kyc.pb"', 'Attribute kyc.pb @122'],
    ['suffix: "yc.pb"', 'Scan yc.pb @122'],
    ['', 'Attributes carol @122'],
  ])('Account.attributes returns the same: %j', async (args, row) => {
    const { account } = named(row).requestJson as { account: string };
    const { data } = await ask(
      `query ($account: String!) { answer: account(address: $account) { attributes(${args === '' ? 'first: 9' : args}) { ${fields} } } }`,
      { account },
      '122',
    );
    const { attributes } = named(row).decoded as unknown as { attributes: WireAttribute[] };
    expect(data!.answer).toEqual({ attributes: { nodes: attributes.map(shown) } });
  });

  it('attributeAccounts and accountData, for accounts and a scope', async () => {
    for (const height of ['122', '566']) {
      const row = named(`AttributeAccounts kyc.pb @${height}`);
      const { data } = await ask(
        'query ($attributeName: String!) { answer: attributeAccounts(name: $attributeName) { nodes { address } totalCount } }',
        row.requestJson,
        height,
      );
      const { accounts, pagination } = row.decoded as unknown as { accounts: string[]; pagination: { total: string } };
      expect(data!.answer).toEqual({ nodes: accounts.map((address) => ({ address })), totalCount: pagination.total });
    }
    for (const row of rows.filter(({ name }) => name.startsWith('AccountData'))) {
      const { data } = await ask(
        'query ($account: String!) { answer: accountData(account: $account) }',
        row.requestJson,
        row.height,
      );
      expect(data!.answer).toBe(row.decoded!.value);
    }
  });
});

describe('invalid arguments', () => {
  const { account } = named('Attributes carol @566').requestJson as { account: string };

  it.each([
    ['attribute(account: $account, name: "   ")', 'name'],
    ['attribute(account: $account, name: "")', 'name'],
    ['attributeScan(account: $account, suffix: "")', 'suffix'],
    [`attributeScan(account: $account, suffix: "${'x'.repeat(257)}")`, 'suffix'],
    ['attributes(account: "")', 'account'],
    ['attributes(account: "tp1nope")', 'account'],
    ['attributeAccounts(name: " ")', 'name'],
  ])('are refused without a read, on which the chain would panic or scan: %s', async (field, argument) => {
    const before = node.calls.filter(({ path }) => path !== undefined).length;
    const document = `query ($account: String!) { account(address: $account) { address } answer: ${field} { totalCount nodes { __typename } } }`;
    const { errors } = await ask(document, { account }, '566');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument });
    expect(node.calls.filter(({ path }) => path !== undefined)).toHaveLength(before);
  });

  it('name and suffix together are refused', async () => {
    const document = `query ($account: String!) { answer: account(address: $account) { attributes(name: "a", suffix: "b") { totalCount } } }`;
    const { errors } = await ask(document, { account }, '566');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'suffix' });
  });

  it('an address of another chain is BAD_USER_INPUT by the refusal of the chain', async () => {
    const { errors } = await ask(documents.Attributes!, { account: 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu' }, '566');
    expect(errors).toBeDefined();
  });
});
