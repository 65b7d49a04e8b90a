import { createContext, createElement, type ReactElement, type ReactNode, useContext } from 'react';
import type { Client } from '../client.ts';

const Context = createContext<Client | undefined>(undefined);

/** Gives a client to the hooks of all components within it. Create the client once, outside of components. */
export function SteleProvider({ client, children }: { readonly client: Client; readonly children?: ReactNode }): ReactElement {
  return createElement(Context.Provider, { value: client }, children);
}

/** The client of the nearest {@link SteleProvider}. Throws without one. */
export function useStele(): Client {
  const client = useContext(Context);
  if (client === undefined) throw new Error('The hooks of @stele/client/react need a SteleProvider around the component.');
  return client;
}
