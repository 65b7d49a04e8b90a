import {
  createRegistry,
  type DescFile,
  type DescMessage,
  fromBinary,
  isMessage,
  type Registry,
  toBinary,
} from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { type DocumentNode, isObjectType, parse } from 'graphql';
import { createDevnet, type Devnet } from '../../packages/devnet/src/devnet.ts';
import { createClient } from '../../src/chain/client.ts';
import { fallback } from '../../src/chain/transports/fallback.ts';
import { http } from '../../src/chain/transports/http.ts';
import { asObject, type JsonValue } from '../../src/chain/wire/json.ts';
import { typeNameOf } from '../../src/chain/wire/protoJson.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { createExecute } from '../../src/graphql/execution/execute.ts';
import { schema } from '../../src/graphql/schema.ts';
import { createPin, pinned } from '../../src/reads/pin.ts';
import { openSession } from '../../src/reads/viewer.ts';
import type { GraphQLContext } from '../../src/schema/builder.ts';
import { type ArgumentTexts, addFields, argumentTexts, executableFields, FieldWriter } from './everyField.ts';
import type { WireChange } from './wireChanges.ts';

/** What a change does to the types by hand. */
export interface HandEffect {
  readonly change: WireChange;
  /** The coordinates whose values it changes. */
  readonly coordinates: readonly string[];
  /** Whether the development chain has a value in which the change shows. Without one, the effect is not known. */
  readonly isTested: boolean;
}

/** The value of an enum that the code does not have. */
const unknownValue = 1_000;

/** Applies changes to a message, in place and at any depth. Returns the elements of which the message had a value. */
function applyTo(message: ReflectMessage, changes: readonly WireChange[], registry: Registry, found: Set<string>): void {
  const { desc } = message;
  if (isMessage(message.message, AnySchema)) {
    const any = message.message;
    const inner = registry.getMessage(typeNameOf(any.typeUrl));
    if (inner === undefined) return;
    const value = reflect(inner, fromBinary(inner, any.value));
    applyTo(value, changes, registry, found);
    any.value = toBinary(inner, value.message);
    for (const change of changes) {
      if (change.kind !== 'message' || change.typeName !== inner.typeName) continue;
      found.add(change.element);
      any.typeUrl = '/another.Message';
    }
    return;
  }
  for (const field of desc.fields) {
    if (!message.isSet(field)) continue;
    const fieldChange = changes.find(
      (change) => change.kind === 'field' && change.field.parent.typeName === desc.typeName && change.field.name === field.name,
    );
    if (fieldChange !== undefined) {
      found.add(fieldChange.element);
      message.clear(field);
      continue;
    }
    if (field.fieldKind === 'enum') {
      const number = message.get(field);
      const valueChange = changes.find(
        (change) => change.kind === 'value' && change.typeName === field.enum.typeName && change.number === number,
      );
      if (valueChange === undefined) continue;
      found.add(valueChange.element);
      message.set(field, unknownValue);
    }
    if (field.fieldKind === 'message') applyTo(message.get(field), changes, registry, found);
    if (field.fieldKind === 'list' && field.listKind === 'message')
      for (const item of message.get(field)) if (isReflectMessage(item)) applyTo(item, changes, registry, found);
    if (field.fieldKind === 'map' && field.mapKind === 'message')
      for (const item of message.get(field).values()) if (isReflectMessage(item)) applyTo(item, changes, registry, found);
  }
}

/** Makes the responses of a node those of a chain with the changes. Adds the elements that a response contained to `found`. */
function forger(changes: readonly WireChange[], registry: Registry, own: readonly DescFile[], found: Set<string>) {
  const outputs = new Map<string, DescMessage>(
    own.flatMap(({ services }) =>
      services.flatMap(({ typeName, methods }) => methods.map(({ name, output }) => [`/${typeName}/${name}`, output] as const)),
    ),
  );
  const gone = new Map(
    changes.flatMap((change) => (change.kind === 'method' ? change.paths.map((path) => [path, change] as const) : [])),
  );
  return ({ method, params }: { readonly method: string; readonly params: unknown }, result: JsonValue): JsonValue => {
    if (method !== 'abci_query') return result;
    const { path, data } = Object(params);
    // Whether a service is served is asked with bytes that are no message.
    if (String(data).toLowerCase() === 'ff') return result;
    const response = asObject(Object(result).response, 'response');
    const change = gone.get(path);
    if (change !== undefined) {
      found.add(change.element);
      return { response: { ...response, code: 6, codespace: 'sdk', log: `unknown query path: ${path}`, value: null } };
    }
    const output = outputs.get(path);
    if (output === undefined || typeof response.value !== 'string') return result;
    const message = reflect(output, fromBinary(output, Buffer.from(response.value, 'base64')));
    applyTo(message, changes, registry, found);
    return { response: { ...response, value: Buffer.from(toBinary(output, message.message)).toString('base64') } };
  };
}

/** Fields whose values are those of the chain, whatever it has. */
const generic: readonly string[] = ['Query.module', 'Query.modules', 'Snapshot.module', 'Snapshot.modules'];

/** Part of the path of an error or value in a result. */
type Path = readonly (string | number)[];

interface Result {
  readonly data: unknown;
  readonly errors: readonly Path[];
}

type Run = (document: DocumentNode) => Promise<Result>;

/** Calls `use` with a function that executes documents over the chain. Nothing is in memory before. */
async function withClient<T>(devnet: Devnet, use: (run: Run) => Promise<T>): Promise<T> {
  const client = createClient({ transport: fallback([http(devnet.nodes[0]?.url ?? '')]), learnsRoots: false });
  try {
    await client.head.ready();
    const execute = createExecute();
    return await use(async (document) => {
      const contextValue: GraphQLContext = {
        viewer: openSession.viewer,
        broadcastCommit: true,
        limits: createLimits(),
        warnings: new Set(),
        outcome: { immutable: true },
      };
      const rootValue = pinned(createPin(client, devnet.height), {});
      const { data = 'null', errors = [] } = await execute({ schema, document, rootValue, contextValue });
      return { data: JSON.parse(data), errors: errors.map(({ path }) => path ?? []) };
    });
  } finally {
    await client.close();
  }
}

/** Executes documents one after another over the chain. */
async function executeAll(devnet: Devnet, documents: readonly DocumentNode[]): Promise<readonly Result[]> {
  return withClient(devnet, async (run) => {
    const results: Result[] = [];
    for (const document of documents) results.push(await run(document));
    return results;
  });
}

/** The coordinate of the value at a path. Undefined if the result has no object there. */
function coordinateAt(data: unknown, path: Path): string | undefined {
  let [type, value] = ['', data];
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (typeof part === 'string' && '__typename' in value) type = `${value.__typename}.${part}`;
    value = Reflect.get(value, part);
  }
  return type === '' ? undefined : type;
}

/** The coordinates at which the values of two results differ. Values that are null because of an error within them do not count. */
function differences(before: Result, after: Result): readonly string[] {
  const errors = after.errors.filter((path) => !before.errors.some((each) => each.join() === path.join()));
  const isOfError = (path: Path): boolean => errors.some((each) => path.every((part, index) => part === each[index]));

  function within(one: unknown, other: unknown, path: Path): readonly Path[] {
    if (Object.is(one, other)) return [];
    const areObjects = typeof one === 'object' && typeof other === 'object' && one !== null && other !== null;
    if (!areObjects || (Array.isArray(one) && Array.isArray(other) && one.length !== other.length))
      return isOfError(path) ? [] : [path];
    return Object.keys(one).flatMap((name) =>
      within(Reflect.get(one, name), Reflect.get(other, name), [...path, Array.isArray(one) ? Number(name) : name]),
    );
  }

  return [...errors, ...within(before.data, after.data, [])].flatMap((path) => coordinateAt(before.data, path) ?? []);
}

/** Values for arguments, of what the development chain has from its genesis. */
async function findArguments(devnet: Devnet, run: Run): Promise<ArgumentTexts> {
  const query = `{
    head { hash header { proposerAddress } }
    groups(first: 20) { nodes { id members(first: 2) { nodes { member { address } } }
      policies(first: 5) { nodes { address proposals(first: 5) { nodes { id votes(first: 1) { nodes { voter { address } } } } } } } } }
  }`;
  interface Found {
    readonly head: { readonly hash: string; readonly header: { readonly proposerAddress: string } };
    readonly groups: { readonly nodes: readonly FoundGroup[] };
  }
  interface FoundGroup {
    readonly id: string;
    readonly policies: {
      readonly nodes: readonly { readonly address: string; readonly proposals: { readonly nodes: readonly FoundProposal[] } }[];
    };
  }
  interface FoundProposal {
    readonly id: string;
    readonly votes: { readonly nodes: readonly { readonly voter: { readonly address: string } }[] };
  }
  const { head, groups } = (await run(parse(query))).data as Found;
  for (const { id, policies } of groups.nodes) {
    for (const { address: policy, proposals } of policies.nodes) {
      const proposal = proposals.nodes.find(({ votes }) => votes.nodes.length > 0);
      const voter = proposal?.votes.nodes[0]?.voter.address;
      if (proposal === undefined || voter === undefined) continue;
      return argumentTexts({
        height: devnet.height,
        groupId: BigInt(id),
        proposalId: BigInt(proposal.id),
        policy,
        account: voter,
        other: policy,
        transaction: '00'.repeat(32),
        block: head.hash,
        validator: head.header.proposerAddress,
      });
    }
  }
  throw new Error('the development chain has no vote');
}

/** Documents that select every field, as far as the development chain has values. */
async function writeDocuments(devnet: Devnet, run: Run): Promise<readonly DocumentNode[]> {
  const values = await findArguments(devnet, run);
  const query = schema.getQueryType();
  if (!isObjectType(query)) return [];
  const executed = new Set<string>();
  const documents: DocumentNode[] = [];
  const fields = executableFields(values, query);
  const entries = fields.filter(({ name }) => ['account', 'groupMembers', 'markers'].includes(name));
  for (const [index, field] of [...fields, ...entries].entries()) {
    const writer = new FieldWriter(schema, values, executed, index >= fields.length);
    const document = parse(`{ __typename ${writer.field(query, field)} }`);
    addFields((await run(document)).data, executed);
    documents.push(document);
  }
  return documents;
}

/**
 * What changes on the wire do to the types by hand. Measured: Stele reads the development chain once as it is, and once with the responses of a chain that has
 * the changes, and what differs is named. Fields of subscriptions, mutations and records are not executed, and messages in transactions are not changed.
 */
export async function handEffects(changes: readonly WireChange[], own: readonly DescFile[]): Promise<readonly HandEffect[]> {
  if (changes.length === 0) return [];
  const devnet = await createDevnet({ blockTime: 'manual' });
  const [node] = devnet.nodes;
  if (node === undefined) throw new Error('no node');
  const registry = createRegistry(...own);
  try {
    const documents = await withClient(devnet, (run) => writeDocuments(devnet, run));
    const before = await executeAll(devnet, documents);
    const again = await executeAll(devnet, documents);
    const unsteady = new Set([...generic, ...before.flatMap((result, index) => differences(result, again[index] ?? result))]);

    /** For each document, the coordinates that differ with changes. */
    async function effectOf(some: readonly WireChange[], indexes: readonly number[]) {
      const found = new Set<string>();
      if (node !== undefined) node.faults.forge = forger(some, registry, own, found);
      const results = await executeAll(
        devnet,
        indexes.flatMap((index) => documents[index] ?? []),
      );
      const coordinates = results.map((result, place) => {
        const original = before[indexes[place] ?? -1];
        return original === undefined ? [] : differences(original, result).filter((each) => !unsteady.has(each));
      });
      return { found, coordinates };
    }

    // Most documents do not depend on any change.
    const all = await effectOf(changes, [...documents.keys()]);
    const affected = [...documents.keys()].filter((index) => all.coordinates[index]?.length !== 0);
    const effects: HandEffect[] = [];
    for (const change of changes) {
      const { found, coordinates } = await effectOf([change], affected);
      const isTested = found.has(change.element) || all.found.has(change.element);
      effects.push({ change, coordinates: [...new Set(coordinates.flat())].toSorted(), isTested });
    }
    return effects;
  } finally {
    await devnet.close();
  }
}
