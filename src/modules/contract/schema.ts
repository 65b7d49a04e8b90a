import { contractMessageJson } from '../../chain/wire/protoJson.ts';
import { badInput } from '../../reads/errors.ts';
import { hexOf, idInput, unrecognized } from '../../reads/input.ts';
import { readPage } from '../../reads/page.ts';
import { type Awaitable, andThen, type Pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { orIfAbsent } from '../../reads/query.ts';
import {
  type Builder,
  connectionArgs,
  createRef,
  enumValues,
  nonNull,
  nonNullList,
  usesContext,
} from '../../schema/builder.ts';
import { addConnection, type Connection, connectionOf, derivedConnection, pageRequest } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { AccountRef, accountField, accountOf, accountOrNull } from '../account/schema.ts';
import {
  accessTypes,
  type Contract,
  type ContractCode,
  createContractLoaders,
  type HistoryEntry,
  historyOperations,
  type StateEntry,
  stateListOf,
} from './query.ts';

const ContractRef = createRef<Pinned<Contract>>('Contract');
const ContractCodeRef = createRef<Pinned<ContractCode>>('ContractCode');
const TxPositionRef = createRef<NonNullable<Contract['created']>>('TxPosition');
const HistoryEntryRef = createRef<Pinned<HistoryEntry>>('ContractHistoryEntry');
const HistoryConnectionRef = createRef<Connection<Pinned<HistoryEntry>>>('ContractHistoryEntryConnection');
const StateEntryRef = createRef<Pinned<StateEntry>>('ContractStateEntry');
const StateConnectionRef = createRef<Connection<Pinned<StateEntry>>>('ContractStateEntryConnection');

/** The contract at an address under the pin of `parent`; null if there is none. */
function contractAt(parent: Pinned<object>, address: string): Awaitable<Pinned<Contract> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createContractLoaders).contract.load(address));
}

function codeAt(parent: Pinned<object>, id: bigint): Awaitable<Pinned<ContractCode> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createContractLoaders).code.load(id));
}

function historyKey({ index }: HistoryEntry): Uint8Array {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(index);
  return key;
}

/** The text of a message to a contract. Its length is bounded by that of the request. A message that is no object is BAD_USER_INPUT. */
function messageText(message: unknown): string {
  const text = JSON.stringify(message) ?? 'null';
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw badInput(
      'msg',
      text,
      'an object with one member, which names the query, such as `{ "balance": { "address": "…" } }`',
    );
  }
  return text;
}

/** Adds contracts, their codes, and `Account.contract`. */
export function addContracts(builder: Builder): void {
  builder.objectType(TxPositionRef, {
    description: 'The place of a transaction in the chain.',
    fields: (t) => ({
      height: t.expose('height', nonNull('Int64', 'Height of its block.')),
      index: t.expose('index', nonNull('UInt64', 'Index of the transaction in its block, from 0.')),
    }),
  });
  addCode(builder);
  addParts(builder);
  addContract(builder);
  addHeightFields(builder, (t) => ({
    contract: t.field({
      type: ContractRef,
      description: 'The contract at an address; null if there is none.',
      args: { address: t.arg.string({ required: true }) },
      resolve: (root, { address }) =>
        andThen(accountInput(pinOf(root), 'address', address), (checked) => contractAt(root, checked)),
    }),
    contractCode: t.field({
      type: ContractCodeRef,
      description: 'The code with this id, from which contracts are created; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => codeAt(root, idInput('id', id)),
    }),
  }));
  builder.objectField(AccountRef, 'contract', (t) =>
    t.field({
      type: ContractRef,
      description: 'The contract at this address; null if there is none, or if the chain has no contracts.',
      resolve: (account) => orIfAbsent(contractAt(account, account.address), null),
    }),
  );
}

function addCode(builder: Builder): void {
  const AccessTypeRef = builder.enumType('ContractAccess', {
    description: 'Who can create contracts from a code.',
    values: enumValues([...accessTypes, unrecognized]),
  });
  builder.objectType(ContractCodeRef, {
    description: 'A code from which contracts are created.',
    fields: (t) => ({
      id: t.field({ type: 'ID', nullable: false, resolve: ({ id }) => String(id) }),
      creator: accountField(t, 'The account that stored the code.', ({ creator }) => creator),
      checksum: t.expose('checksum', nonNull('Hex', 'SHA-256 hash of the code.')),
      access: t.field({
        ...nonNull(AccessTypeRef, 'Who can create contracts from it.'),
        resolve: ({ permission }) => permission,
      }),
      permitted: t.field({
        ...nonNullList(AccountRef, 'The accounts that can, if only some can.'),
        resolve: (code) => code.permitted.map((address) => accountOf(code, address)),
      }),
    }),
  });
  addEntity(builder, ContractCodeRef, { id: (root, id) => codeAt(root, idInput('id', id)) });
}

function addParts(builder: Builder): void {
  const OperationRef = builder.enumType('ContractHistoryOperation', {
    description: 'What gave a contract its code.',
    values: enumValues([...historyOperations, unrecognized]),
  });
  builder.objectType(HistoryEntryRef, {
    description: 'The creation or a migration of a contract.',
    fields: (t) => ({
      operation: t.expose('operation', { type: OperationRef, nullable: false }),
      codeId: t.field({ ...nonNull('ID', 'The code from then on.'), resolve: ({ codeId }) => String(codeId) }),
      code: t.field({ type: ContractCodeRef, resolve: (entry) => codeAt(entry, entry.codeId) }),
      updated: t.expose('updated', { type: TxPositionRef, description: 'Where it happened; null if the chain does not say.' }),
      message: t.field({
        type: 'JSON',
        description: 'The message that the contract got. null if it is not JSON.',
        resolve: ({ message }) => contractMessageJson(message) ?? null,
      }),
    }),
  });
  addConnection(builder, HistoryEntryRef, HistoryConnectionRef, 'entries of the history of a contract');
  builder.objectType(StateEntryRef, {
    description: 'An entry of the state of a contract.',
    fields: (t) => ({
      key: t.field({ ...nonNull('Hex', 'The key.'), resolve: ({ key }) => hexOf(key) }),
      keyText: t.string({
        description:
          'derived: the key, if it is printable ASCII; null otherwise. The keys of maps begin with the length of their name.',
        resolve: ({ key }) =>
          key.length > 0 && key.every((byte) => byte >= 0x20 && byte < 0x7f) ? Buffer.from(key).toString() : null,
      }),
      value: t.expose('value', nonNull('Base64', 'The value.')),
      json: t.field({
        type: 'JSON',
        description: 'The value, if it is JSON; null otherwise. Integers that a JavaScript number cannot hold are text.',
        resolve: ({ value }) => contractMessageJson(value) ?? null,
      }),
    }),
  });
  addConnection(builder, StateEntryRef, StateConnectionRef, 'entries of the state of a contract');
}

function addContract(builder: Builder): void {
  const { first, after } = connectionArgs(builder);
  builder.objectType(ContractRef, {
    description: 'A contract of `cosmwasm.wasm.v1`.',
    fields: (t) => ({
      address: t.exposeString('address', { nullable: false }),
      account: accountField(t, 'Its account, with its balances.', ({ address }) => address),
      codeId: t.field({ type: 'ID', nullable: false, resolve: ({ codeId }) => String(codeId) }),
      code: t.field({
        type: ContractCodeRef,
        description: 'Its code.',
        resolve: (contract) => codeAt(contract, contract.codeId),
      }),
      creator: accountField(t, 'The account that created it.', ({ creator }) => creator),
      admin: accountOrNull(t, 'The account that can migrate it; null if nobody can.', ({ admin }) => admin),
      label: t.exposeString('label', { nullable: false, description: 'Name that its creator gave it.' }),
      created: t.expose('created', {
        type: TxPositionRef,
        description: 'Where it was created; null if the chain does not say.',
      }),
      ibcPort: t.exposeString('ibcPort', { description: 'Its port for packets of IBC; null if it has none.' }),
      info: t.field({
        type: 'JSON',
        description:
          'derived: the name and version that the contract states in its state by the convention CW2, such as\n`{"contract":"crates.io:cw20-base","version":"1.0.0"}`. null if it states none.',
        resolve: (contract) =>
          andThen(
            pinOf(contract).loaders(createContractLoaders).info.load(contract.address),
            (bytes) => contractMessageJson(bytes) ?? null,
          ),
      }),
      history: t.field({
        type: HistoryConnectionRef,
        description: 'Its creation and its migrations, oldest first.',
        args: connectionArgs(builder),
        resolve: usesContext((contract: Pinned<Contract>, args, _context, info) => {
          const { history } = pinOf(contract).loaders(createContractLoaders);
          const name = `contractHistory/${contract.address}`;
          return derivedConnection(pinOf(contract), name, () => history.load(contract.address), historyKey, args, info);
        }),
      }),
      state: t.field({
        type: StateConnectionRef,
        description: 'Its state as stored, by key. The chain cannot count it: `totalCount` is null.',
        args: { first, after },
        resolve: usesContext((contract: Pinned<Contract>, args, _context, info) => {
          const pin = pinOf(contract);
          const list = stateListOf(pin, contract.address);
          const page = readPage(list, { ...pageRequest(pin, list.name, args, info), count: false });
          return andThen(page, (part) => connectionOf(pin, list.name, part, list.keyOf));
        }),
      }),
      query: t.field({
        type: 'JSON',
        description:
          'Runs a query of the contract at this height: `{ "balance": { "address": "…" } }`. Each node ends it at its gas limit. What the\ncontract refuses is ABCI_QUERY_FAILED, with its text in `log`. Integers that a JavaScript number cannot hold are text.',
        args: { msg: t.arg({ type: 'JSON', required: true }) },
        resolve: (contract, { msg }) =>
          pinOf(contract)
            .loaders(createContractLoaders)
            .query.load({ address: contract.address, message: messageText(msg) }),
      }),
    }),
  });
  addEntity(builder, ContractRef, {
    address: (root, address) => andThen(accountInput(pinOf(root), 'address', address), (checked) => contractAt(root, checked)),
  });
}
