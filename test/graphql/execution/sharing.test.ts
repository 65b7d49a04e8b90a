import { buildSchema, type ExecutionResult, execute as interpret, isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { deepFrozen } from '../../../src/chain/memory/memoryBudget.ts';
import { createExecute } from '../../../src/graphql/execution/execute.ts';
import { createKeptJson } from '../../../src/graphql/execution/execution.ts';
import { type Derivation, type Derived, derivedKey, type Pin, type Pinned, pinned, pinOf } from '../../../src/reads/pin.ts';
import { usesContext } from '../../../src/schema/builder.ts';

interface Item {
  readonly id: string;
  readonly name: string;
  readonly inner: { readonly text: string };
}

/** A pin that only counts its uses. */
function countingPin(height: bigint): Pin {
  let uses = 0;
  return {
    get height() {
      uses += 1;
      return height;
    },
    uses: () => uses,
    use() {
      uses += 1;
    },
  } as Pin;
}

type Calls = Record<string, number>;

/** A schema over frozen values, which counts the calls of its resolvers. */
function setUp() {
  const calls: Calls = {};
  const schema = buildSchema(`
    type Inner { text: String }
    type Item { id: ID, name(upper: Boolean): String, height: String, viewer: String, failing: String, inner: Inner, changed(name: String): Item, other: Item }
    type Query { item: Item, items: [Item] }
  `);
  const count = (name: string): void => {
    calls[name] = (calls[name] ?? 0) + 1;
  };
  const resolvers: Record<string, (item: Pinned<Item>, args: { upper?: boolean; name?: string }, context: string) => unknown> =
    {};
  const add = (name: string, resolve: (typeof resolvers)[string]): void => {
    resolvers[name] = resolve;
    const field = schema.getType('Item');
    if (!isObjectType(field)) throw new Error('no type Item');
    const own = field.getFields()[name];
    if (own) own.resolve = resolve as never;
  };
  add('id', ({ id }) => {
    count('id');
    return id;
  });
  add('name', ({ name }, { upper }) => {
    count('name');
    return upper ? name.toUpperCase() : name;
  });
  add('height', (item) => {
    count('height');
    return String(pinOf(item).height);
  });
  const viewer = (_item: object, _args: object, context: string): string => {
    count('viewer');
    return context;
  };
  add('viewer', viewer);
  usesContext(viewer as never);
  add('failing', () => {
    count('failing');
    throw new Error('no');
  });
  add('other', (object) => pinned(pinOf(object), item));
  add('changed', (item, { name }) => ({ ...item, name }));

  const execute = createExecute();
  return {
    calls,
    /** Executes compiled, and fails unless graphql-js has the same result. Returns the data. */
    run(text: string, rootValue: unknown, { contextValue = 'me', variableValues = {} } = {}): unknown {
      const request = { schema, document: documentOf(text), rootValue, contextValue, variableValues };
      const { data, errors = [] } = execute(request) as { data: string; errors?: ExecutionResult['errors'] };
      const after = { ...calls };
      const expected = interpret(request) as ExecutionResult;
      // Calls of graphql-js are not counted.
      for (const name of Object.keys(calls)) calls[name] = after[name] ?? 0;
      expect(data).toBe(JSON.stringify(expected.data));
      expect(errors.map(({ path, message }) => ({ path, message }))).toEqual(
        (expected.errors ?? []).map(({ path, message }) => ({ path, message })),
      );
      return JSON.parse(data);
    },
  };
}

const documents = new Map<string, ReturnType<typeof parse>>();

/** The same document for the same text, as the server has it. */
function documentOf(text: string): ReturnType<typeof parse> {
  const known = documents.get(text) ?? parse(text);
  documents.set(text, known);
  return known;
}

const item = deepFrozen<Item>({ id: '1', name: 'a "name"', inner: { text: 'é\u2028🙂' } });

describe('the JSON of a value of the state', () => {
  it('is written once for all executions if its fields use the value alone', () => {
    const { calls, run } = setUp();
    for (const height of [1n, 2n, 3n]) run('{ item { id name inner { text } } }', { item: pinned(countingPin(height), item) });
    expect(calls).toMatchObject({ id: 1, name: 1 });
  });

  it('is written again if a field uses the pin, the context or a variable', () => {
    const { run } = setUp();
    for (const height of [1n, 2n]) {
      expect(run('{ item { id height } }', { item: pinned(countingPin(height), item) })).toEqual({
        item: { id: '1', height: String(height) },
      });
    }
    for (const contextValue of ['me', 'you']) {
      const data = run('{ item { id viewer } }', { item: pinned(countingPin(1n), item) }, { contextValue });
      expect(data).toEqual({ item: { id: '1', viewer: contextValue } });
    }
    for (const upper of [true, false]) {
      const text = 'query($upper: Boolean) { item { name(upper: $upper) } }';
      const data = run(text, { item: pinned(countingPin(1n), item) }, { variableValues: { upper } });
      expect(data).toEqual({ item: { name: upper ? 'A "NAME"' : 'a "name"' } });
    }
  });

  it('is written once in one execution if its fields use the pin, and again under another pin', () => {
    const { calls, run } = setUp();
    const [one, other] = [countingPin(1n), countingPin(2n)];
    const items = [one, one, other, one].map((pin) => pinned(pin, item));
    const heights = ['1', '1', '2', '1'].map((height) => ({ height }));
    expect(run('{ items { height } }', { items })).toEqual({ items: heights });
    // The other pin replaces the first.
    expect(calls).toMatchObject({ height: 3 });
  });

  it('is not kept if a field used the pin only where it was executed first', () => {
    const { run } = setUp();
    const values = [1, 2].map((id) => deepFrozen({ ...item, id: String(id) }));
    for (const height of [1n, 2n]) {
      const pin = countingPin(height);
      const other = { other: { height: String(height) } };
      const items = values.map((value) => pinned(pin, value));
      expect(run('{ items { other { height } } }', { items })).toEqual({ items: [other, other] });
    }
  });

  it('is written for each place where a field fails, with an error at each path', () => {
    const { calls, run } = setUp();
    const pin = countingPin(1n);
    run('{ items { id failing } }', { items: [pinned(pin, item), pinned(pin, item)] });
    expect(calls).toMatchObject({ failing: 2 });
  });

  it('is not used for a changed copy of the value, nor for a value that can change', () => {
    const { run } = setUp();
    const pin = countingPin(1n);
    const changing = 'query($name: String) { item { name changed(name: $name) { name } } }';
    for (const name of ['one', 'two']) {
      const data = run(changing, { item: pinned(pin, item) }, { variableValues: { name } });
      expect(data).toEqual({ item: { name: 'a "name"', changed: { name } } });
    }
    const live = { ...item };
    for (const name of ['one', 'two']) {
      live.name = name;
      expect(run('{ item { name } }', { item: pinned(pin, live) })).toEqual({ item: { name } });
    }
  });

  it('is also kept for an object that is made of one value, such as a page, unless the object uses the pin', () => {
    const { calls, run } = setUp();
    class Page implements Derived {
      readonly id = '1';
      readonly #pin: Pin;
      readonly #source: object;
      constructor(pin: Pin, source: object) {
        this.#pin = pin;
        this.#source = source;
      }
      get [derivedKey](): Derivation {
        return { pin: this.#pin, origin: this.#source };
      }
      get name(): string {
        this.#pin.use();
        return 'uses the pin';
      }
    }
    const [source, other] = [Object.freeze({}), Object.freeze({})];
    for (const height of [1n, 2n, 3n]) run('{ item { id } }', { item: new Page(countingPin(height), source) });
    expect(calls).toMatchObject({ id: 1 });
    run('{ item { id } }', { item: new Page(countingPin(4n), other) });
    expect(calls).toMatchObject({ id: 2 });
    for (const height of [1n, 2n, 3n]) run('{ item { name } }', { item: new Page(countingPin(height), source) });
    expect(calls).toMatchObject({ name: 3 });
    // What can change is not kept.
    for (const height of [1n, 2n]) run('{ item { id } }', { item: new Page(countingPin(height), {}) });
    expect(calls).toMatchObject({ id: 4 });
  });

  it('is kept within a bound: what is used outlives what is not', () => {
    let bytes = 0;
    const kept = createKeptJson(1_000, (grown) => {
      bytes += grown;
    });
    const selection = { newerJson: undefined, olderJson: undefined };
    const values = Array.from({ length: 100 }, () => ({}));
    const [used = {}] = values;
    for (const value of values) {
      kept.set(selection, value, 'x'.repeat(100));
      expect(kept.get(selection, used)).toHaveLength(100);
      expect(bytes).toBeLessThanOrEqual(2_000);
    }
    expect(values.filter((value) => kept.get(selection, value) !== undefined).length).toBeLessThan(15);
    kept.set(selection, used, 'x'.repeat(2_000));
    expect(kept.get(selection, used)).toHaveLength(100);
  });
});
