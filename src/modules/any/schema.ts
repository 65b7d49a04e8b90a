import type { DescMethodUnary, DescService } from '@bufbuild/protobuf';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { isQueryService } from '../../chain/simulation/execution.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import { badInput } from '../../reads/errors.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { maySimulate } from '../../reads/viewer.ts';
import { type Builder, createRef, nonNull, readableWithBroadcast, rowsField, usesContext } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { decodeAny } from './codec.ts';
import { messageSchema } from './jsonSchema.ts';
import { messageInput } from './messageInput.ts';
import { callModule, isLiveMethod, methodNamed, methodsOf, servedServices } from './module.ts';

const ModuleServiceRef = createRef<{ readonly name: string; readonly pool: DescriptorPool }>('ModuleService');
const ModuleMethodRef = createRef<DescMethodUnary>('ModuleMethod');

/** Lets other work run: listing the methods of a service decodes its files. */
const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Adds `Query.module` and `Query.modules`, which call any query method that the chain describes. */
function addModules(builder: Builder): void {
  builder.objectType(ModuleServiceRef, {
    description: 'A query service of the chain.',
    fields: (t) => ({
      name: t.exposeString('name', { nullable: false, description: 'For example `provenance.exchange.v1.Query`.' }),
      methods: t.field({
        type: [ModuleMethodRef],
        nullable: false,
        resolve: async ({ name, pool }) => {
          await yieldToEventLoop();
          return methodsOf(pool, name);
        },
      }),
    }),
  });
  builder.objectType(ModuleMethodRef, {
    description: 'A method that `Query.module` can call.',
    fields: (t) => ({
      name: t.field({
        ...nonNull('String', 'The full name to pass as `method`, such as `provenance.exchange.v1.Query/GetOrder`.'),
        resolve: (method) => `${method.parent.typeName}/${method.name}`,
      }),
      requestType: t.string({ nullable: false, resolve: ({ input }) => input.typeName }),
      responseType: t.string({ nullable: false, resolve: ({ output }) => output.typeName }),
      requestSchema: t.field({
        ...nonNull('JSON', 'The JSON Schema of `request`.'),
        resolve: ({ input }) => messageSchema(input, 'request'),
      }),
      responseSchema: t.field({
        ...nonNull('JSON', 'The JSON Schema of the response.'),
        resolve: ({ output }) => messageSchema(output, 'response'),
      }),
    }),
  });
  addHeightFields(builder, (t) => ({
    module: t.field({
      type: 'JSON',
      description:
        'Calls any query method that the chain describes, by full name (`provenance.exchange.v1.Query/GetOrder`). Request and response are protobuf JSON. In the response, decimals of the chain (`LegacyDec`) are `"0.100000000000000000"`, and the message of a contract is its JSON.\nMethods that describe the node (`cosmos.base.tendermint…`) or simulate a transaction ignore the height.',
      args: { method: t.arg.string({ required: true }), request: t.arg({ type: 'JSON' }) },
      resolve: usesContext(async (root, { method: name, request }, { outcome, viewer }) => {
        const pin = pinOf(root);
        const pool = await pin.descriptors.pool(pin);
        const method = methodNamed(pool, 'method', name);
        if (isLiveMethod(method.parent.typeName, method.name)) outcome.immutable = false;
        return callModule(pin, pool, method, request ?? {}, maySimulate(viewer));
      }),
    }),
    modules: t.field({
      type: [ModuleServiceRef],
      description:
        'The query services that the chain describes and serves; with `prefix`, only those whose names start with it. A chain also describes services\nthat its application does not have. They are left out, unless no node can be asked.',
      args: { prefix: t.arg.string() },
      resolve: async (root, { prefix }) => {
        const { client, descriptors, signal } = pinOf(root);
        const pool = await descriptors.pool({ signal });
        const names = pool.services.filter((name) => isQueryService(name) && name.startsWith(prefix ?? ''));
        const services: DescService[] = [];
        for (const name of names) {
          await yieldToEventLoop();
          services.push(...[pool.service(name) ?? []].flat());
        }
        const served = await servedServices(client, services, signal);
        return names.filter((name) => served.has(name)).map((name) => ({ name, pool }));
      },
    }),
  }));
}

/** A protobuf message inside another (`Any`). */
export const AnyMessageRef = createRef<Pinned<AnyMessage>>('AnyMessage');

/** A message under the pin of `parent`. */
export function anyOf(parent: Pinned<object>, message: AnyMessage): Pinned<AnyMessage> {
  return pinned(pinOf(parent), message);
}

/** The most messages that are described at once: those of the largest proposal that a node decodes (recorded: A27). */
const mostDescribed = 99;

/** Adds `Query.describeMessages`. */
function addDescriptions(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    describeMessages: t.field({
      type: [AnyMessageRef],
      description:
        'derived: messages that are not sent yet, encoded and in words, so that somebody can read them before signing. `messages` are at most 99 in protobuf JSON with `@type`, of any types\nthat the chain describes. The message of a contract may be its JSON.',
      // They can be as many as this.
      extensions: rowsField({ points: mostDescribed }),
      args: { messages: t.arg({ type: ['JSON'], required: true }) },
      resolve: async (root, { messages }) => {
        const pin = pinOf(root);
        if (messages.length > mostDescribed)
          throw badInput('messages', `${messages.length} messages`, `at most ${mostDescribed} messages`);
        const described = messages.map((message, index) => messageInput(pin, `messages[${index}]`, message));
        return (await Promise.all(described)).map((message) => pinned(pin, message));
      },
    }),
  }));
}

/** Adds `AnyMessage`, `Query.module`, `Query.modules` and `Query.describeMessages`. */
export function addAny(builder: Builder): void {
  builder.objectType(AnyMessageRef, {
    description: 'A protobuf message inside another (`Any`), such as a message of a transaction or proposal.',
    fields: (t) => ({
      type: t.expose('type', {
        ...nonNull('String', 'The protobuf type, such as `/cosmos.bank.v1beta1.MsgSend`.'),
        extensions: readableWithBroadcast,
      }),
      value: t.expose('value', {
        ...nonNull('Base64', 'The bytes of the message on the wire.'),
        extensions: readableWithBroadcast,
      }),
      json: t.field({
        extensions: readableWithBroadcast,
        type: 'JSON',
        description:
          'The decoded message, in protobuf JSON with decimals and contract messages as in `Query.module`; null if the chain does not describe its type.',
        resolve: (message) => decodeAny(pinOf(message), message),
      }),
    }),
  });
  addModules(builder);
  addDescriptions(builder);
}
