import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { messageSchema } from './jsonSchema.ts';
import { callModule } from './moduleCall.ts';
import { isOfNoHeight, isQueryService, methodNamed, methodsOf } from './moduleMethods.ts';

const ModuleServiceRef = createRef<{ readonly name: string; readonly pool: DescriptorPool }>('ModuleService');
const ModuleMethodRef = createRef<DescMethodUnary>('ModuleMethod');

/** A turn of the event loop for others: a service's files are decoded when it is first looked at. */
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Adds `Query.module` and `Query.modules`: any module that the chain describes. */
export function addModules(builder: Builder): void {
  builder.objectType(ModuleServiceRef, {
    description: 'A query service that the chain describes. It may be described and yet not served.',
    fields: (t) => ({
      name: t.exposeString('name', { nullable: false, description: 'Such as `provenance.exchange.v1.Query`.' }),
      methods: t.field({
        type: [ModuleMethodRef],
        nullable: false,
        resolve: async ({ name, pool }) => {
          await breath();
          return methodsOf(pool, name);
        },
      }),
    }),
  });
  builder.objectType(ModuleMethodRef, {
    description: 'A method for `module`.',
    fields: (t) => ({
      name: t.string({
        nullable: false,
        description: 'Full name to pass as `method`: `provenance.exchange.v1.Query/GetOrder`.',
        resolve: (method) => `${method.parent.typeName}/${method.name}`,
      }),
      requestType: t.string({ nullable: false, resolve: ({ input }) => input.typeName }),
      responseType: t.string({ nullable: false, resolve: ({ output }) => output.typeName }),
      requestSchema: t.field({
        type: 'JSON',
        nullable: false,
        description: 'JSON Schema of what `request` takes.',
        resolve: ({ input }) => messageSchema(input),
      }),
      responseSchema: t.field({
        type: 'JSON',
        nullable: false,
        description: 'JSON Schema of the answer.',
        resolve: ({ output }) => messageSchema(output),
      }),
    }),
  });
  addHeightFields(builder, (t) => ({
    module: t.field({
      type: 'JSON',
      description:
        'Any Query method the chain describes, by full name (`provenance.exchange.v1.Query/GetOrder`); request and answer in protobuf JSON.\nThe few that tell of the node and not of the state (`cosmos.base.tendermint…`) ignore the height.',
      args: { method: t.arg.string({ required: true }), request: t.arg({ type: 'JSON' }) },
      resolve: async (root, { method: name, request }, { outcome }) => {
        const pin = pinOf(root);
        const pool = await pin.client.descriptors.pool(pin);
        const method = methodNamed(pool, 'method', name);
        if (isOfNoHeight(method.parent.typeName, method.name)) outcome.immutable = false;
        return callModule(pin, pool, method, request ?? {});
      },
    }),
    modules: t.field({
      type: [ModuleServiceRef],
      description: 'The query services that the chain describes; with `prefix`, those whose name starts with it.',
      args: { prefix: t.arg.string() },
      resolve: async (root, { prefix }) => {
        const { client, signal } = pinOf(root);
        const pool = await client.descriptors.pool({ signal });
        return pool.services
          .filter((name) => isQueryService(name) && name.startsWith(prefix ?? ''))
          .map((name) => ({ name, pool }));
      },
    }),
  }));
}
