import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const alice = 'tp1uxa8284fu97znk826kxmd3l829nlpmhse95hmv';
const carol = 'tp137eh59a824l7dvaruy3zknpcvcpttxt8gectxv';
const scope = 'scope1qqenxvenzyg5yg5rxdzyg424venqk5w7yv';
const secondScope = 'scope1qpzyg3zyzyg5yg5rxdzyg424venqzkyrm9';
const origination = 'session1qyenxvenzyg5yg5rxdzyg424ven242424gg3zs3zsve5g3z424nxv09fdwr';
const payments = 'session1qyenxvenzyg5yg5rxdzyg424venthwamhvg3zs3zsve5g3z424nxvyrvyld';
const appraisal = 'session1qyenxvenzyg5yg5rxdzyg424venvenxvesg3zs3zsve5g3z424nxvzmldcp';
const loan = 'record1qgenxvenzyg5yg5rxdzyg424venyw2alzjfrutnualv99xp9csq7s3w3nlk';
const value = 'record1qgenxvenzyg5yg5rxdzyg424venv6sjqf4f264wvl2dv5jkus2922rvs5r3';
const absentRecord = 'record1qgenxvenzyg5yg5rxdzyg424venp0pw0cw7x43mn369n3nwv6xh3yq4vhx0';
const scopeSpec = 'scopespec1qsg3zyg3zyg5yg5rxdzyg424venqqe5vau';
const contractSpec = 'contractspec1qv3zyg3zzyg5yg5rxdzyg424venqq580rp';
const valueSpec = 'recspec1q4mhwamhzyg5yg5rxdzyg424venv6sjqf4f264wvl2dv5jkus29228vz8d2';
/** A height at which all sessions and records exist; the first session was written twice. */
const all = '72';

let node: CallsNode;
let stack: Stack;

beforeAll(async () => {
  node = await createCallsNode('records');
});
// Each test has a server with nothing in memory.
beforeEach(async () => {
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
  node.calls.length = 0;
});
afterEach(async () => {
  node.instead = undefined;
  await stack.close();
  expect(stack.masked).toEqual([]);
});
afterAll(async () => {
  await node.close();
  expect(node.unrecorded).toEqual([]);
});

async function ask(query: string, height = all) {
  return (await stack.ask(query, {}, { 'x-cosmos-block-height': height })).body;
}

/** The queries of metadata so far, by their methods. */
function queries(): readonly string[] {
  return node.calls
    .filter((path) => path.startsWith('/provenance.metadata'))
    .map((path) => path.slice(path.lastIndexOf('/') + 1));
}

/** What the node's REST shows of a scope and what is in it. */
interface RestScope {
  readonly sessions: readonly { readonly session: RestSession }[];
  readonly records: readonly { readonly record: RestRecord }[];
}
interface RestSession {
  readonly session_id: string;
  readonly specification_id: string;
  readonly parties: readonly { readonly address: string; readonly role: string; readonly optional: boolean }[];
  readonly name: string;
  readonly context: string | null;
  readonly audit: Readonly<Record<'created_date' | 'created_by' | 'updated_date' | 'updated_by' | 'message', string>> & {
    readonly version: number;
  };
}
interface RestRecord {
  readonly name: string;
  readonly session_id: string;
  readonly process: Readonly<Record<'address' | 'hash' | 'name' | 'method', string | undefined>>;
  readonly inputs: readonly Readonly<Record<string, string | undefined>>[];
  readonly outputs: readonly { readonly hash: string; readonly status: string }[];
  readonly specification_id: string;
}

const account = (address: string) => ({ address });

function sessionFromRest({ session }: { readonly session: RestSession }) {
  const { audit } = session;
  return {
    id: session.session_id,
    specification: { id: session.specification_id },
    parties: session.parties.map(({ address, role, optional }) => ({ account: { address }, role, optional })),
    name: session.name,
    context: session.context ?? '',
    created: audit.created_date,
    createdBy: audit.created_by.split(', ').map(account),
    updated: audit.updated_by === '' ? null : audit.updated_date,
    updatedBy: audit.updated_by === '' ? [] : audit.updated_by.split(', ').map(account),
    version: audit.version,
    message: audit.message,
  };
}

function recordFromRest({ record }: { readonly record: RestRecord }) {
  const { address, hash = null, name, method } = record.process;
  return {
    name: record.name,
    session: { id: record.session_id },
    specification: { id: record.specification_id },
    process: { account: address === undefined ? null : { address }, hash, name, method },
    inputs: record.inputs.map((input) => ({
      ...{ name: input.name, typeName: input.type_name, hash: input.hash ?? null, status: input.status },
      record: input.record_id === undefined ? null : { id: input.record_id },
    })),
    outputs: record.outputs,
  };
}

const sessionFields = `id specification { id } parties { account { address } role optional } name context
  created createdBy { address } updated updatedBy { address } version message`;
const recordFields = `name session { id } specification { id } process { account { address } hash name method }
  inputs { name typeName hash status record { id } } outputs { hash status }`;
const whole = `{ scope(id: "${scope}") {
  sessions { totalCount nodes { ${sessionFields} } }
  records { totalCount nodes { ${recordFields} } }
} }`;

const withContents = (id: string) =>
  `/provenance/metadata/v1/scope/${id}?include_sessions=true&include_records=true&exclude_id_info=true`;

describe('the sessions and records of a scope', () => {
  it.each([scope, secondScope])('are those that the REST of the node shows: %s', async (id) => {
    const { data, errors } = await ask(whole.replace(scope, id));
    expect(errors).toBeUndefined();
    const { sessions, records } = node.rest(withContents(id), all) as unknown as RestScope;
    expect([sessions.length, records.length]).toEqual(id === scope ? [3, 4] : [1, 2]);
    expect(data).toEqual({
      scope: {
        sessions: { totalCount: String(sessions.length), nodes: sessions.map(sessionFromRest) },
        records: { totalCount: String(records.length), nodes: records.map(recordFromRest) },
      },
    });
  });

  it('take one call, and one for each contract specification, and none again', async () => {
    const { data } = await ask(whole);
    expect(queries().toSorted()).toEqual(['ContractSpecification', 'ContractSpecification', 'Scope', 'Scope']);
    node.calls.length = 0;
    expect((await ask(whole)).data).toEqual(data);
    // Another document with the same reads.
    const more = await ask(`{ scope(id: "${scope}") { records { nodes { name session { records { nodes { name } } } } } } }`);
    expect(more.errors).toBeUndefined();
    expect(queries()).toEqual([]);
  });

  it('have pages, in both directions, and cursors that are valid for one list', async () => {
    const page = (args: string) =>
      ask(
        `{ scope(id: "${scope}") { records(${args}) { nodes { name } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`,
      );
    interface Answer {
      readonly scope: {
        readonly records: {
          readonly nodes: readonly { readonly name: string }[];
          readonly pageInfo: { readonly endCursor: string };
        };
      };
    }
    const first = (await page('first: 2')).data as Answer;
    expect(first.scope.records).toMatchObject({
      nodes: [{ name: 'Loan' }, { name: 'title' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    const { endCursor } = first.scope.records.pageInfo;
    expect((await page(`first: 9, after: "${endCursor}"`)).data).toMatchObject({
      scope: { records: { nodes: [{ name: 'value' }, { name: 'payments' }], pageInfo: { hasNextPage: false } } },
    });
    expect((await page('first: 1, reverse: true')).data).toMatchObject({
      scope: { records: { nodes: [{ name: 'payments' }] } },
    });
    const wrong = await ask(`{ scope(id: "${scope}") { sessions(after: "${endCursor}") { nodes { id } } } }`);
    expect(wrong.errors![0]!.extensions).toMatchObject({ code: 'BAD_CURSOR' });
  });

  it('are those of the height of the operation: a record moves, one is deleted with its session, and a scope with all of them', async () => {
    const document = `{ scope(id: "${scope}") { sessions { nodes { name context version records { nodes { name } } } } }
      other: scope(id: "${secondScope}") { records { nodes { name } } }
      at(height: "56") { height scope(id: "${scope}") { records { nodes { name asOfHeight } } } } }`;
    const session = (name: string, ...records: string[]) => ({
      name,
      records: { nodes: records.map((each) => ({ name: each })) },
    });
    const before = (await ask(document, '65')).data;
    expect(before).toMatchObject({
      scope: {
        sessions: {
          nodes: [
            {
              ...session('origination', 'Loan', 'title'),
              context: Buffer.from('{"by":"branch 12"}').toString('base64'),
              version: 1,
            },
            session('payments', 'payments'),
            session('appraisal', 'value'),
          ],
        },
      },
      other: { records: { nodes: [] } },
      at: { height: '56', scope: { records: { nodes: [{ name: 'Loan', asOfHeight: '56' }, { name: 'title' }] } } },
    });
    const after = (await ask(document, '115')).data;
    expect(after).toMatchObject({
      scope: { sessions: { nodes: [{ ...session('origination, corrected', 'Loan', 'title', 'payments'), version: 2 }] } },
      other: null,
    });
  });
});

describe('a record and a session by their addresses', () => {
  it('have the scope, the session and the specification that they belong to', async () => {
    const { data, errors } = await ask(`{
      scopeRecord(id: "${value}") { id name scope { id } session { id name scope { id } records { nodes { id } } }
        specification { id name typeName resultType responsibleParties inputs { name typeName recordId hash } contractSpecification { id name } }
        inputs { record { id name } } }
      scopeSession(id: "${origination}") { id uuid records { nodes { name } } }
      scope(id: "${scope}") { named: record(name: " LOAN ") { id } none: record(name: "nothing") { id } }
    }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      scopeRecord: {
        ...{ id: value, name: 'value', scope: { id: scope } },
        session: { id: appraisal, name: 'appraisal', scope: { id: scope }, records: { nodes: [{ id: value }] } },
        specification: {
          ...{ id: valueSpec, name: 'value', typeName: 'org.example.Value', resultType: 'DEFINITION_TYPE_RECORD' },
          responsibleParties: ['PARTY_TYPE_SERVICER'],
          inputs: [{ name: 'loan', typeName: 'org.example.Loan', recordId: loan, hash: null }],
          contractSpecification: { id: 'contractspec1qdmhwamhzyg5yg5rxdzyg424venqvawwzd', name: 'appraisal' },
        },
        inputs: [{ record: { id: loan, name: 'Loan' } }],
      },
      scopeSession: {
        ...{ id: origination, uuid: 'aaaaaaaa-1111-4222-8333-444455556666' },
        records: { nodes: [{ name: 'Loan' }, { name: 'title' }] },
      },
      scope: { named: { id: loan }, none: null },
    });
  });

  it('are null if they do not exist, which is asked once', async () => {
    const none = `{ scopeRecord(id: "${absentRecord}") { name } scopeSession(id: "${payments}") { name }
      contractSpecification(id: "eeeeeeee-1111-4222-8333-444455556666") { name }
      recordSpecification(id: "recspec1q53zyg3zzyg5yg5rxdzyg424venpgzldh7wr7m2k4xzx62a8pzres49mglr") { name }
      _entities(representations: [{ __typename: "ScopeRecord", id: "${absentRecord}" }, { __typename: "ScopeSession", id: "${origination}" }]) {
        ... on ScopeRecord { name } ... on ScopeSession { uuid }
      } }`;
    for (const _ of [1, 2]) {
      const { data, errors } = await ask(none, '115');
      expect(errors).toBeUndefined();
      expect(data).toEqual({
        ...{ scopeRecord: null, scopeSession: null, contractSpecification: null, recordSpecification: null },
        _entities: [null, { uuid: 'aaaaaaaa-1111-4222-8333-444455556666' }],
      });
    }
    expect(queries().toSorted()).toEqual([
      ...['ContractSpecification', 'ContractSpecification', 'Records', 'Sessions', 'Sessions'],
    ]);
  });

  it('have arguments that are checked before a node is asked', async () => {
    const wrong: [field: string, id: string][] = [
      ['scopeRecord', origination],
      ['scopeRecord', 'aaaaaaaa-1111-4222-8333-444455556666'],
      ['scopeSession', scope],
      ['contractSpecification', valueSpec],
      ['recordSpecification', contractSpec],
      ['scopeSession', `${origination}x`],
    ];
    for (const [field, id] of wrong) {
      const { errors } = await ask(`{ ${field}(id: "${id}") { id } }`);
      expect(errors![0]!.extensions, field).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'id' });
    }
    expect(queries()).toEqual([]);
  });

  it('fail alone if a node does not answer for them', async () => {
    node.instead = (path) =>
      path.endsWith('/Records') ? { error: { code: -32603, message: 'Internal error', data: 'no such luck' } } : undefined;
    const { data, errors } = await ask(
      `{ scope(id: "${scope}") { id good: records { totalCount } bad: record(name: "title") { id } } }`,
    );
    expect(errors!.map(({ path }) => path)).toEqual([['scope', 'bad']]);
    expect(data).toEqual({ scope: { id: scope, good: { totalCount: '4' }, bad: null } });
  });
});

describe('contract and record specifications', () => {
  const fields = `id uuid name description websiteUrl iconUrl owners { address } partiesInvolved className hash resourceId
    recordSpecifications { id name typeName resultType responsibleParties inputs { name typeName recordId hash } }`;

  interface RestSpecifications {
    readonly contract_specs: readonly { readonly specification: Readonly<Record<string, unknown>> }[];
    readonly record_specs: readonly {
      readonly specification: Readonly<Record<string, unknown>>;
      readonly record_spec_id_info: { readonly contract_spec_id_info: { readonly contract_spec_addr: string } };
    }[];
  }

  it('of a scope specification are read at once, and are as the REST of the node shows them', async () => {
    const { data, errors } =
      await ask(`{ scopeSpecification(id: "${scopeSpec}") { contractSpecIds contractSpecifications { ${fields} } }
      contractSpecification(id: "22222222-1111-4222-8333-444455556666") { id asOfHeight } }`);
    expect(errors).toBeUndefined();
    const path = `/provenance/metadata/v1/scopespec/${scopeSpec}?include_contract_specs=true&include_record_specs=true`;
    const rest = node.rest(path, all) as unknown as RestSpecifications;
    expect([rest.contract_specs.length, rest.record_specs.length]).toEqual([2, 4]);
    expect(
      (data as { scopeSpecification: { contractSpecifications: unknown } }).scopeSpecification.contractSpecifications,
    ).toEqual(
      rest.contract_specs.map(({ specification: each }, index) => ({
        ...{ id: each.specification_id, className: each.class_name, hash: each.hash ?? null },
        // The node prints the bytes of a scope as the address of an account.
        resourceId: index === 0 ? scope : null,
        uuid: `${index === 0 ? '77777777' : '22222222'}-1111-4222-8333-444455556666`,
        ...(({ name, description, website_url: websiteUrl, icon_url: iconUrl }) => ({
          name,
          description,
          websiteUrl,
          iconUrl,
        }))(each.description as Record<string, string>),
        owners: [{ address: alice }],
        partiesInvolved: each.parties_involved,
        recordSpecifications: rest.record_specs
          .filter(({ record_spec_id_info: info }) => info.contract_spec_id_info.contract_spec_addr === each.specification_id)
          .map(({ specification: record }) => ({
            ...{ id: record.specification_id, name: record.name, typeName: record.type_name },
            ...{ resultType: record.result_type, responsibleParties: record.responsible_parties },
            inputs: (record.inputs as Record<string, string>[]).map((input) => ({
              ...{ name: input.name, typeName: input.type_name, recordId: input.record_id ?? null, hash: input.hash ?? null },
            })),
          })),
      })),
    );
    expect(data).toMatchObject({ contractSpecification: { id: contractSpec, asOfHeight: all } });
    expect(queries().toSorted()).toEqual(['ContractSpecification', 'ScopeSpecification', 'ScopeSpecification']);
  });

  it('are those of their height: one that is taken out of the scope specification is not listed, but exists', async () => {
    const document = `{ scopeSpecification(id: "${scopeSpec}") { contractSpecifications { name } } recordSpecification(id: "${valueSpec}") { name } }`;
    expect((await ask(document, '115')).data).toEqual({
      ...{ scopeSpecification: { contractSpecifications: [{ name: 'origination' }] }, recordSpecification: { name: 'value' } },
    });
  });

  it('have the accounts of the parties', async () => {
    const { data } = await ask(
      `{ scopeSession(id: "${appraisal}") { parties { account { address scopes { nodes { id } } } } } }`,
    );
    expect(data).toEqual({
      scopeSession: { parties: [{ account: { address: carol, scopes: { nodes: [{ id: scope }, { id: secondScope }] } } }] },
    });
  });
});
