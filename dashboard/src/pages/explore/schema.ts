import { signal } from '@preact/signals';
import { SteleError, type TypedDocument } from '@stele/client';
import { useEffect, useState } from 'preact/hooks';
import { asFailure, isLasting } from '../../data/failures.ts';
import { noteRead, stele } from '../../data/stele.ts';
import { createTypes, type TypeInfo, type Types } from './model/types.ts';

type Answer = Readonly<Record<string, TypeInfo | null>>;

/** Reads types of the schema with the client of the pages. */
function newTypes(): Types {
  return createTypes(async (text, variables) => {
    const document: TypedDocument<Answer, Readonly<Record<string, string>>> = text;
    const { data } = await stele.query(document, variables);
    noteRead();
    return data;
  });
}

/** The types of the schema, as this tab has read them. */
const types = signal(newTypes());

/** Forgets what was read of the schema: an upgrade of the chain has changed it. */
export function renewTypes(): void {
  types.value = newTypes();
}

/** What was made of the schema. */
export interface SchemaState<T> {
  readonly data?: T;
  readonly failure?: SteleError;
}

/** What a read of the schema failed with. A server of trusted documents alone executes those of the page for tokens that may read the schema. */
function schemaFailure(error: unknown): SteleError {
  const failure = asFailure(error);
  if (failure.code !== 'DOCUMENT_NOT_TRUSTED') return failure;
  return new SteleError('FORBIDDEN', failure.message, { facts: { scope: 'introspect' }, cause: failure });
}

/** A read that fails for a time is repeated after this time, in ms. */
const retryAfter = 3_000;

/** Makes something of the schema, and again when `key` or the schema changes. A failure that passes is repeated. */
export function useSchema<T>(make: (types: Types) => Promise<T>, key: string): SchemaState<T> {
  const [state, setState] = useState<SchemaState<T>>({});
  const source = types.value;
  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function read(): Promise<void> {
      try {
        const data = await make(source);
        if (!isGone) setState({ data });
      } catch (error) {
        if (isGone) return;
        const failure = schemaFailure(error);
        noteRead(failure);
        setState((before) => ({ ...before, failure }));
        if (!isLasting(failure)) timer = setTimeout(read, retryAfter);
      }
    }
    void read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [key, source]);
  return state;
}
