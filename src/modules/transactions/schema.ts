import type { GraphQLResolveInfo } from 'graphql';
import { isChainError } from '../../chain/base/errors.ts';
import type { Event, TxExec } from '../../chain/base/execution.ts';
import type { CommittedBlock, CommittedTx } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { timeoutOf } from '../../chain/transactions/tx.ts';
import { malformed } from '../../chain/wire/json.ts';
import { RequestError } from '../../reads/errors.ts';
import { startAfter } from '../../reads/height.ts';
import { hashInput } from '../../reads/input.ts';
import { type Awaitable, andThen, both, type Pin, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type BlockStream, blockStream } from '../../reads/stream.ts';
import {
  type Builder,
  connectionArgs,
  createInterfaceRef,
  createRef,
  type Fields,
  liveField,
  nonNull,
  nonNullList,
  readableWithBroadcast,
  usesContext,
} from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, derivedConnection } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { type Account, AccountRef, accountField, accountOf, accountOrNull } from '../account/schema.ts';
import { typesOf } from '../any/codec.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { CoinRef, coinOf } from '../bank/schema.ts';
import { type BlockSummary, createBlockLoaders } from '../blocks/query.ts';
import { BlockRef, BlockResultsRef, blockAt } from '../blocks/schema.ts';
import { eventConditions, eventsOfType } from '../events/events.ts';
import { EventConditionInput, EventRef, searchArgs, searchConnection } from '../events/schema.ts';
import {
  committed,
  createTransactionLoaders,
  type Fee,
  feeOf,
  messagesOf,
  type SignedTx,
  signedTx,
  signersOf,
  type Transaction,
  type TxProof,
  transactionSearch,
  txJson,
} from './query.ts';

/** The marks of a field of a sent transaction that is never null. */
const sentField = { extensions: readableWithBroadcast, nullable: false } as const;

export const SignedTransactionRef = createInterfaceRef<Pinned<SignedTx>>('SignedTransaction');
export const TransactionRef = createRef<Pinned<Transaction>>('Transaction');
export const TransactionConnectionRef = createRef<Connection<Pinned<Transaction>>>('TransactionConnection');
export const TxExecRef = createRef<TxExec>('TxExec');
export const TxCheckRef = createRef<TxExec>('TxCheck');

function indexKey({ index }: Transaction): Uint8Array {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(index);
  return key;
}

/** A page of the transactions of a block with their results, in block order. The block and its results are read once, whole. */
function blockTransactions(
  block: Pinned<BlockSummary>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Transaction>> | null> {
  const pin = pinOf(block);
  const loaders = pin.loaders(createBlockLoaders);
  const { height } = block.header;
  const items = (): Awaitable<readonly Transaction[]> => {
    if (block.numTxs === 0n) return [];
    return both(loaders.block.load(height), loaders.results.load(height), ({ txs }, results) =>
      txs.map((tx, index) => {
        const result = results.txs[index];
        if (result === undefined) throw malformed(`block ${height} has fewer results than transactions`);
        return { ...signedTx(tx), height, index, result };
      }),
    );
  };
  return derivedConnection(pin, `block/${height}/transactions`, items, indexKey, args, info);
}

/** Adds `Block.transactions` and `BlockResults.txsResults`. */
function addBlockTransactions(builder: Builder): void {
  builder.objectField(BlockRef, 'transactions', (t) =>
    t.field({
      type: TransactionConnectionRef,
      description: 'In block order.',
      args: connectionArgs(builder),
      resolve: usesContext((block, args, _context, info) => blockTransactions(block, args, info)),
    }),
  );
  builder.objectField(BlockResultsRef, 'txsResults', (t) =>
    t.expose('txs', nonNull([TxExecRef], 'One result for each transaction, in block order.')),
  );
}

/** A transaction that matches, or the block itself if `transaction` is null. */
interface EventMatch {
  readonly block: CommittedBlock;
  readonly transaction: CommittedTx | null;
  readonly events: readonly Event[];
}

const EventMatchRef = createRef<Pinned<EventMatch>>('EventMatch');

/** The events that a condition names, by `type.key` or by type alone. */
function eventsNamed(events: readonly Event[], conditions: readonly EventCondition[]): readonly Event[] {
  const tags = new Set(conditions.map(({ tag }) => tag));
  return events.filter(({ type, attributes }) => tags.has(type) || attributes.some(({ key }) => tags.has(`${type}.${key}`)));
}

/** The matches in a block, its own events first. Without conditions every transaction matches. */
function matchesIn(client: Client, block: CommittedBlock, conditions: readonly EventCondition[]): readonly EventMatch[] {
  const matchingTransactions =
    conditions.length === 0 ? { block: false, transactions: block.transactions } : client.events.match(conditions, block);
  const blockMatch: EventMatch = { block, transaction: null, events: eventsNamed(block.events, conditions) };
  const transactions = matchingTransactions.transactions.map((transaction) => ({
    block,
    transaction,
    events: eventsNamed(transaction.result.events, conditions),
  }));
  return matchingTransactions.block ? [blockMatch, ...transactions] : transactions;
}

/** The greatest height that the conditions on `tx.height` and `block.height` allow; undefined if they set none. */
function lastAllowed(conditions: readonly EventCondition[]): bigint | undefined {
  let last: bigint | undefined;
  for (const { tag, operator, argument } of conditions) {
    const isBound = (tag === 'tx.height' || tag === 'block.height') && ['=', '<', '<='].includes(operator);
    if (!isBound || argument === undefined || !/^\d{1,19}$/.test(argument.text)) continue;
    const height = BigInt(argument.text) - (operator === '<' ? 1n : 0n);
    if (last === undefined || height < last) last = height;
  }
  return last;
}

/** The results of `pick` for the matches after height `after`, in block order, each under the pin of its block. */
function eventMatches<T>(
  root: Pinned<object>,
  after: bigint,
  conditions: readonly EventCondition[],
  pick: (match: Pinned<EventMatch>) => T | null,
): BlockStream<T> {
  const pin = pinOf(root);
  const { client, signal } = pin;
  const end = lastAllowed(conditions);
  return blockStream<T>({
    blocks: client.blocks.from(after, { signal }),
    async first() {
      if (end === undefined || end > after) return undefined;
      return { height: after, events: [], last: true, isPresent: true };
    },
    step(block) {
      const { height } = block.header;
      const last = end !== undefined && height >= end;
      const matches = matchesIn(client, block, conditions);
      if (matches.length === 0) return { events: [], last };
      const pinAt = pin.at(height);
      return { events: matches.map((match) => pick(pinned(pinAt, match))).filter((event) => event !== null), last };
    },
  });
}

function transactionOf(match: Pinned<EventMatch>): Pinned<Transaction> | null {
  const { block, transaction } = match;
  return transaction && pinned(pinOf(match), committed(block.header.height, transaction));
}

/** Adds `Subscription.transactions` and `Subscription.events`. */
function addEventSubscriptions(builder: Builder): void {
  builder.objectType(EventMatchRef, {
    description: 'A transaction or a block whose events matched.',
    fields: (t) => ({
      height: t.field({ type: 'Int64', nullable: false, resolve: ({ block }) => block.header.height }),
      time: t.field({ type: 'DateTime', nullable: false, resolve: ({ block }) => block.header.time }),
      block: t.field({ type: BlockRef, nullable: false, resolve: (match) => blockAt(match, match.block.header.height) }),
      transaction: t.field({
        type: TransactionRef,
        description: 'null if events of the block itself matched.',
        resolve: transactionOf,
      }),
      events: t.expose('events', nonNull([EventRef], 'The events that the conditions name.')),
    }),
  });
  const args = builder.args((t) => ({
    query: t.string(),
    where: t.field({ type: [EventConditionInput] }),
    after: t.field({ type: 'Int64' }),
  }));
  builder.subscriptionFields((t) => ({
    transactions: t.field({
      ...nonNull(
        TransactionRef,
        'Committed transactions whose events match, in block order. Without `query` and `where`, all transactions.',
      ),
      args,
      subscribe: (root, { query, where, after }) =>
        eventMatches(root, startAfter(root, after), eventConditions(query, where), transactionOf),
      resolve: (transaction) => transaction,
    }),
    events: t.field({
      ...nonNull(
        EventMatchRef,
        'Transactions and blocks whose events match, in block order; a block comes before its transactions. Pass `query`, `where` or both.',
      ),
      args,
      subscribe: (root, { query, where, after }) => {
        const conditions = eventConditions(query, where);
        if (conditions.length > 0) return eventMatches(root, startAfter(root, after), conditions, (match) => match);
        const facts = { argument: 'query', bound: 'present, unless `where` is' };
        throw new RequestError('BAD_USER_INPUT', 'Pass `query`, `where` or both.', facts);
      },
      resolve: (match) => match,
    }),
  }));
}

/** The fields of a result that its execution in a block and CheckTx have. */
const resultFields = (t: Fields<TxExec>) => ({
  code: t.exposeInt('code', { nullable: false, description: '0 is success.' }),
  codespace: t.exposeString('codespace', { nullable: false }),
  log: t.exposeString('log', { nullable: false }),
  info: t.exposeString('info', { nullable: false }),
  data: t.expose('data', { type: 'Base64' }),
  gasWanted: t.expose('gasWanted', { type: 'Int64', nullable: false }),
  gasUsed: t.expose('gasUsed', { type: 'Int64', nullable: false }),
});

/** Adds the results of a transaction: `TxExec` from its execution in a block, `TxCheck` from CheckTx. */
function addExec(builder: Builder): void {
  builder.objectType(TxExecRef, {
    extensions: readableWithBroadcast,
    description: 'The result of executing a transaction in a block.',
    fields: (t) => ({
      ...resultFields(t),
      events: t.field({
        type: [EventRef],
        nullable: false,
        args: { type: t.arg.string() },
        resolve: ({ events }: TxExec, { type }) => eventsOfType(events, type),
      }),
    }),
  });
  builder.objectType(TxCheckRef, {
    extensions: readableWithBroadcast,
    description: 'The result of CheckTx: whether a node accepts the transaction.',
    fields: (t) => ({ ...resultFields(t), events: t.expose('events', { type: [EventRef], nullable: false }) }),
  });
}

const FeeRef = createRef<Pinned<Fee>>('TransactionFee');

/** Adds `SignedTransaction` and `TransactionFee`. */
function addSignedTransaction(builder: Builder): void {
  addFee(builder);
  builder.interfaceType(SignedTransactionRef, {
    description: 'A signed transaction, committed or not. Decoded fields are null if the bytes are not a Cosmos transaction.',
    fields: (t) => ({
      hash: t.expose('hash', { ...sentField, type: 'Hex', description: 'SHA-256 of the bytes.' }),
      tx: t.expose('tx', { ...sentField, type: 'Base64', description: 'The signed bytes.' }),
      messages: t.field({
        extensions: readableWithBroadcast,
        type: [AnyMessageRef],
        resolve: (tx) => {
          const decoded = tx.decoded();
          return decoded && messagesOf(decoded).map((message) => anyOf(tx, message));
        },
      }),
      signers: t.field({
        type: [AccountRef],
        resolve: (tx): Awaitable<Pinned<Account>[] | null> =>
          andThen(signersOf(tx), (signers) => signers?.map((address) => accountOf(tx, address)) ?? null),
      }),
      memo: t.string({ extensions: readableWithBroadcast, resolve: (tx) => tx.decoded()?.body.memo ?? null }),
      fee: t.field({
        extensions: readableWithBroadcast,
        type: FeeRef,
        resolve: (tx) => pinnedValue(pinOf(tx), feeOf(tx)),
      }),
      timeoutHeight: t.field({
        extensions: readableWithBroadcast,
        type: 'UInt64',
        description: 'The last height at which a block may include the transaction; null if there is no limit.',
        resolve: (tx) => tx.decoded()?.body.timeoutHeight || null,
      }),
      timeoutTimestamp: t.field({
        extensions: readableWithBroadcast,
        type: 'DateTime',
        description: 'No block with a later time executes the transaction; null if there is no limit.',
        resolve: (tx) => {
          const decoded = tx.decoded();
          return (decoded && timeoutOf(decoded.body)) || null;
        },
      }),
      unordered: t.boolean({
        extensions: readableWithBroadcast,
        description: 'Whether the transaction uses no sequence. Each signer can use its `timeoutTimestamp` once.',
        resolve: (tx) => tx.decoded()?.body.unordered ?? null,
      }),
      json: t.field({
        extensions: readableWithBroadcast,
        type: 'JSON',
        description: 'The decoded transaction: body, auth info and signatures.',
        resolve: (tx) =>
          tx.decoded() === null ? null : andThen(typesOf(pinOf(tx)), (types) => txJson(types, Buffer.from(tx.tx, 'base64'))),
      }),
    }),
  });
}

function addFee(builder: Builder): void {
  builder.objectType(FeeRef, {
    description: 'The fee that a transaction offers, and the account that pays it.',
    fields: (t) => ({
      amount: t.field({
        extensions: readableWithBroadcast,
        type: [CoinRef],
        nullable: false,
        resolve: (fee) => fee.amount.map((coin) => coinOf(fee, coin)),
      }),
      gasLimit: t.expose('gasLimit', { extensions: readableWithBroadcast, type: 'UInt64', nullable: false }),
      payer: accountField(t, 'The first signer, unless the transaction names another account.', (fee) => fee.payer),
      granter: accountOrNull(t, 'The account whose fee grant pays the fee; null if there is none.', (fee) => fee.granter),
    }),
  });
}

/**
 * Sends the transaction with a hash once a block contains it, under the pin of that block. The stream follows new blocks before
 * it searches past ones, so it misses no block in between. Past blocks are searched in the memory of this server and, if a node
 * has one, in its index.
 */
function transactionResult(root: Pinned<object>, hash: string): BlockStream<Pinned<Transaction>> {
  const pin = pinOf(root);
  const past = pastTransaction(pin, hash);
  past.catch(() => undefined);
  return blockStream({
    blocks: pin.client.blocks.from(pin.height, { signal: pin.signal }),
    async first() {
      const foundTransaction = await past;
      return (
        foundTransaction && {
          height: foundTransaction.height,
          events: [pinned(pin.at(foundTransaction.height), foundTransaction)],
          last: true,
          isPresent: true,
        }
      );
    },
    step(block) {
      const { height } = block.header;
      const ownTransaction = block.transactions.find((transaction) => transaction.hash === hash);
      return ownTransaction === undefined
        ? { events: [] }
        : { events: [pinned(pin.at(height), committed(height, ownTransaction))], last: true };
    },
  });
}

async function pastTransaction(pin: Pin, hash: string): Promise<Transaction | undefined> {
  const seenTransaction = pin.client.blocks.transaction(hash);
  if (seenTransaction !== undefined) return committed(seenTransaction.block.header.height, seenTransaction.transaction);
  try {
    return (await pin.loaders(createTransactionLoaders).transaction.load(hash)) ?? undefined;
  } catch (error) {
    if (isChainError(error, 'INDEX_UNAVAILABLE')) return undefined;
    throw error;
  }
}

/** Adds `Subscription.transactionResult`. */
function addTransactionResult(builder: Builder): void {
  builder.subscriptionField('transactionResult', (t) =>
    t.field({
      ...nonNull(
        TransactionRef,
        'The transaction with this hash, once a block contains it; at once if one already does. Then the stream completes.',
      ),
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      subscribe: (root, { hash }) => transactionResult(root, hashInput('hash', hash)),
      resolve: (transaction) => transaction,
    }),
  );
}

const TxProofRef = createRef<TxProof>('TxProof');
const MerkleProofRef = createRef<TxProof['proof']>('MerkleProof');

/** The transaction with a hash; null if no block up to the height of the operation contains it. A malformed hash is BAD_USER_INPUT. */
function transactionAt(root: Pinned<object>, hash: string): Awaitable<Pinned<Transaction> | null> {
  const pin = pinOf(root);
  return andThen(pin.loaders(createTransactionLoaders).transaction.load(hashInput('hash', hash)), (foundTransaction) =>
    foundTransaction === null || foundTransaction.height > pin.height ? null : pinned(pin, foundTransaction),
  );
}

/** Adds `Transaction`, `Query.transaction` and `Query.transactions`. */
function addTransaction(builder: Builder): void {
  addType(builder);
  addProof(builder);
  addEntity(builder, TransactionRef, { hash: transactionAt });
  addConnection(builder, TransactionRef, TransactionConnectionRef, 'transactions');
  addHeightFields(builder, (t) => ({
    transaction: t.field({
      type: TransactionRef,
      description:
        'A committed transaction; null if no block up to the height of the operation contains it. INDEX_UNAVAILABLE if no node has a transaction index.',
      // A node writes the index after the block, so a transaction can appear later.
      extensions: liveField,
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      resolve: (root, { hash }) => transactionAt(root, hash),
    }),
    transactions: t.field({
      type: TransactionConnectionRef,
      description:
        'Committed transactions whose events match, oldest first. Pass `query`, `where` or both. Needs a node with an index, or an\narchive of mode FULL that holds every height of the search.',
      // A node writes the index after the block.
      extensions: liveField,
      args: searchArgs(builder),
      resolve: usesContext((root, args, _context, info) => searchConnection(root, transactionSearch, false, args, info)),
    }),
  }));
}

function addType(builder: Builder): void {
  builder.objectType(TransactionRef, {
    description: 'A transaction in a block, with its result.',
    interfaces: [SignedTransactionRef],
    fields: (t) => ({
      height: t.expose('height', { extensions: readableWithBroadcast, type: 'Int64', nullable: false }),
      index: t.exposeInt('index', { ...sentField, description: 'Index in the block, starting at 0.' }),
      block: t.field({ type: BlockRef, resolve: (tx) => blockAt(tx, tx.height) }),
      time: t.field({
        type: 'DateTime',
        description: 'Time of the block.',
        resolve: (tx) => andThen(pinOf(tx).loaders(createBlockLoaders).header.load(tx.height), ({ time }) => time),
      }),
      code: t.int({ ...sentField, description: '0 is success.', resolve: ({ result }) => result.code }),
      codespace: t.string({
        ...sentField,
        description: 'The module that defines the code, such as `sdk`; empty for code 0.',
        resolve: ({ result }) => result.codespace,
      }),
      log: t.string({
        ...sentField,
        description: 'The reason of a failure; empty on success.',
        resolve: ({ result }) => result.log,
      }),
      info: t.string({ ...sentField, resolve: ({ result }) => result.info }),
      data: t.field({
        extensions: readableWithBroadcast,
        type: 'Base64',
        description: 'The responses of the messages, in protobuf; null if the transaction failed.',
        resolve: ({ result }) => result.data,
      }),
      gasWanted: t.field({ ...sentField, type: 'Int64', resolve: ({ result }) => result.gasWanted }),
      gasUsed: t.field({ ...sentField, type: 'Int64', resolve: ({ result }) => result.gasUsed }),
      events: t.field({
        ...nonNullList(EventRef, 'With `type`, only events of this type.'),
        extensions: readableWithBroadcast,
        args: { type: t.arg.string() },
        resolve: ({ result }, { type }) => eventsOfType(result.events, type),
      }),
      proof: t.field({
        type: TxProofRef,
        description: 'Proof that the block contains the transaction.',
        resolve: (tx) => pinOf(tx).loaders(createTransactionLoaders).transactionProof.load(tx.hash),
      }),
    }),
  });
}

function addProof(builder: Builder): void {
  builder.objectType(TxProofRef, {
    description: 'Merkle proof of a transaction against the `dataHash` of its block.',
    fields: (t) => ({
      rootHash: t.expose('rootHash', { type: 'Hex', nullable: false }),
      data: t.expose('data', { type: 'Base64', nullable: false }),
      proof: t.expose('proof', { type: MerkleProofRef, nullable: false }),
    }),
  });
  builder.objectType(MerkleProofRef, {
    description: 'Path from a leaf to the root of a Merkle tree.',
    fields: (t) => ({
      total: t.expose('total', { type: 'Int64', nullable: false }),
      index: t.expose('index', { type: 'Int64', nullable: false }),
      leafHash: t.expose('leafHash', { type: 'Base64', nullable: false }),
      aunts: t.expose('aunts', { type: ['Base64'], nullable: false }),
    }),
  });
}

/** Adds transactions: queries by hash, by events and by block, and subscriptions. */
export function addTransactions(builder: Builder): void {
  addSignedTransaction(builder);
  addTransaction(builder);
  addExec(builder);
  addBlockTransactions(builder);
  addTransactionResult(builder);
  addEventSubscriptions(builder);
}
