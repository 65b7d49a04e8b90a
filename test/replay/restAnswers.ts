import { create, type FileRegistry, fromBinary, fromJson, isMessage, type JsonValue, toBinary } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { type AbciResponse, readRecording } from '../recordings/recordings.ts';

/** gRPC method of each row of rest.json, by the name of the row: methods that describe the node, and those of transactions. */
const questions: Readonly<Record<string, readonly [path: string, request: JsonValue]>> = {
  'tx by hash': [
    '/cosmos.tx.v1beta1.Service/GetTx',
    { hash: 'B9BD8805A2E6E95F3A2F36ED6D6B6831B4B9989DC300A38AFC84C8DED49A60CB' },
  ],
  'tx not found': ['/cosmos.tx.v1beta1.Service/GetTx', { hash: '0'.repeat(64) }],
  'latest block': ['/cosmos.base.tendermint.v1beta1.Service/GetLatestBlock', {}],
  'node info': ['/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo', {}],
  syncing: ['/cosmos.base.tendermint.v1beta1.Service/GetSyncing', {}],
  'txs by event': [
    '/cosmos.tx.v1beta1.Service/GetTxsEvent',
    { query: "message.action='/cosmos.group.v1.MsgVote'", limit: '2' },
  ],
};

/** Replaces the type URL of each `Any`, at any depth, with that of the chain: without the host that canonical JSON adds. */
function withOwnTypes(registry: FileRegistry, message: ReflectMessage): ReflectMessage {
  if (isMessage(message.message, AnySchema)) {
    const any = message.message;
    const name = any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1);
    const desc = registry.getMessage(name);
    if (desc === undefined) return message;
    any.typeUrl = `/${name}`;
    any.value = toBinary(desc, withOwnTypes(registry, reflect(desc, fromBinary(desc, any.value))).message);
    return message;
  }
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === 'message') withOwnTypes(registry, message.get(field));
    if (field.fieldKind === 'list' && field.listKind === 'message')
      for (const item of message.get(field)) if (isReflectMessage(item)) withOwnTypes(registry, item);
  }
  return message;
}

/**
 * Returns the `abci_query` responses of the methods that were recorded only over REST (rest.json), encoded in protobuf with the
 * descriptors of the chain. Returns undefined for any other request.
 */
export function createRestAnswers(registry: FileRegistry): (path: string, data: Uint8Array) => AbciResponse | undefined {
  const rows = new Map(readRecording('rest').map((row) => [row.name, row]));
  const answers = new Map<string, AbciResponse>();

  for (const [name, [path, request]] of Object.entries(questions)) {
    const [, service = '', method] = path.split('/');
    const call = registry.getService(service)?.methods.find((each) => each.name === method);
    const row = rows.get(name);
    if (call === undefined || row === undefined) throw new Error(`no ${name}`);
    const requestBytes = toBinary(call.input, fromJson(call.input, request, { registry }));
    const isThere = row.status === 200;
    // The log contains the gRPC status (docs/chain.md, "Error codes of the application").
    const log = `rpc error: code = NotFound desc = ${row.body.message}: key not found`;
    const content = isThere ? fromJson(call.output, row.body as JsonValue, { registry }) : create(call.output);
    const value = toBinary(call.output, withOwnTypes(registry, reflect(call.output, content)).message);
    answers.set(`${path} ${Buffer.from(requestBytes).toString('hex')}`, {
      code: isThere ? 0 : 22,
      log: isThere ? '' : log,
      info: '',
      index: '0',
      key: null,
      value: isThere ? Buffer.from(value).toString('base64') : null,
      proofOps: null,
      height: row.headers['grpc-metadata-x-cosmos-block-height'] ?? '0',
      codespace: isThere ? '' : 'sdk',
    });
  }
  return (path, data) => answers.get(`${path} ${Buffer.from(data).toString('hex')}`);
}
