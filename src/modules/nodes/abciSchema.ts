import { RequestError } from '../../reads/errors.ts';
import { checkHeight } from '../../reads/height.ts';
import { dataInput } from '../../reads/input.ts';
import { pinOf } from '../../reads/pin.ts';
import { maySimulate } from '../../reads/viewer.ts';
import { type Builder, createRef, liveField } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { type AbciInfo, type AbciQueryResult, abciInfo, abciQuery, type ProofStep, pathInput } from './abci.ts';

const AbciInfoRef = createRef<AbciInfo>('AbciInfo');
const AbciQueryResultRef = createRef<AbciQueryResult>('AbciQueryResult');
const ProofOpRef = createRef<ProofStep>('ProofOp');

/** The height of a raw query. Absent or 0 is the height of the operation. */
function queryHeight(height: bigint | null | undefined, latest: bigint): bigint {
  if (height == null || height === 0n) return latest;
  if (height > 0n) return checkHeight('height', height, latest);
  throw new RequestError('BAD_USER_INPUT', 'cannot query with height < 0; please provide a valid height', {
    argument: 'height',
    value: height.toString(),
    bound: 'a height, or 0 for the height of the operation',
  });
}

/** Adds `Query.abciInfo` and `Query.abciQuery` with their types. */
export function addAbci(builder: Builder): void {
  builder.objectType(AbciInfoRef, {
    description:
      'Information about the application, with the names and encodings of the documented dialect. Not read at a height.',
    fields: (t) => ({
      data: t.exposeString('data', { nullable: false }),
      version: t.exposeString('version', { nullable: false }),
      appVersion: t.expose('appVersion', { type: 'UInt64', nullable: false }),
      lastBlockHeight: t.expose('lastBlockHeight', { type: 'Int64', nullable: false }),
      lastBlockAppHash: t.expose('lastBlockAppHash', { type: 'Hex', nullable: false }),
    }),
  });
  builder.objectType(AbciQueryResultRef, {
    description:
      'The result of a raw application query, with the names and encodings of the documented dialect (hexadecimal, decimal strings).',
    fields: (t) => ({
      log: t.exposeString('log', { nullable: false }),
      info: t.exposeString('info', { nullable: false }),
      height: t.expose('height', { type: 'Int64', nullable: false, description: 'The height of the state that was read.' }),
      proof: t.expose('proof', {
        type: 'Hex',
        nullable: true,
        description: 'The proof as one protobuf `ProofOps`; null unless `prove` is true and the path is `/store/…/key`.',
      }),
      proofOps: t.expose('proofOps', { type: [ProofOpRef], nullable: true, description: 'The steps of the proof.' }),
      value: t.expose('value', { type: 'Hex', nullable: true, description: 'null if there is no value.' }),
      key: t.expose('key', { type: 'Hex', nullable: true }),
      index: t.expose('index', { type: 'Int64', nullable: false }),
      code: t.expose('code', {
        type: 'UInt64',
        nullable: false,
        description: '0 is success. A decimal string, as in the documented dialect; codes of transactions are integers.',
      }),
      codespace: t.exposeString('codespace', { nullable: false }),
    }),
  });
  builder.objectType(ProofOpRef, {
    description: 'One step of a proof, such as `ics23:iavl`.',
    fields: (t) => ({
      type: t.exposeString('type', { nullable: false }),
      key: t.expose('key', { type: 'Base64', nullable: false }),
      data: t.expose('data', { type: 'Base64', nullable: false }),
    }),
  });
  builder.queryFields((t) => ({
    abciInfo: t.field({
      type: AbciInfoRef,
      description: 'Information about the application of the current node. Not read at a height.',
      extensions: liveField,
      resolve: (root) => abciInfo(pinOf(root)),
    }),
  }));
  addHeightFields(builder, (t) => ({
    abciQuery: t.field({
      type: AbciQueryResultRef,
      description:
        'A raw application query. A code other than 0 is part of the result, not an error. `data`: hexadecimal, with or without `0x`, or raw characters in double quotes.\n`height`: absent or 0 is the height of the operation.',
      // The code and log of a rejected query are not state of the chain.
      extensions: liveField,
      args: {
        path: t.arg.string({ required: true }),
        data: t.arg.string({ required: true }),
        height: t.arg({ type: 'Int64' }),
        prove: t.arg.boolean({ defaultValue: false }),
      },
      resolve: (root, { path, data, height, prove }, { viewer }) => {
        const pin = pinOf(root);
        const query = {
          path: pathInput('path', path),
          data: dataInput('data', data),
          height: queryHeight(height, pin.height),
          prove: prove ?? false,
        };
        return abciQuery(pin.client, query, { signal: pin.signal, maySimulate: maySimulate(viewer) });
      },
    }),
  }));
}
