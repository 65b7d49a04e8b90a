/** The key field of each type that is stored by a key. */
const keyFields: Readonly<Record<string, string>> = {
  Account: 'address',
  Block: 'height',
  Contract: 'address',
  ContractCode: 'id',
  ContractSpecification: 'id',
  GovProposal: 'id',
  GovProposalRecord: 'id',
  Group: 'id',
  GroupPolicy: 'address',
  Market: 'id',
  MarketOrder: 'id',
  Marker: 'denom',
  Proposal: 'id',
  ProposalRecord: 'id',
  RecordSpecification: 'id',
  Scope: 'id',
  ScopeRecord: 'id',
  ScopeSession: 'id',
  ScopeSpecification: 'id',
  Snapshot: 'height',
  Transaction: 'hash',
};

/**
 * The option `getDataID` of a Relay `Environment`: `Group:1` for live data, `Group:1@240` where `asOfHeight` was selected. Relay stores an object
 * within its parent if this returns null.
 */
export function getDataID(fieldValue: Readonly<Record<string, unknown>>, typeName: string): string | null {
  const keyField = keyFields[typeName];
  const key = keyField === undefined ? undefined : fieldValue[keyField];
  if (typeof key !== 'string') return null;
  return typeof fieldValue.asOfHeight === 'string' ? `${typeName}:${key}@${fieldValue.asOfHeight}` : `${typeName}:${key}`;
}

/** The function that Relay's `Network.create` takes. `newToken` is called for each request, and returns a valid token. */
export function createFetch(url: string, newToken: () => Promise<string>) {
  return async ({ text }: { readonly text?: string | null }, variables: Readonly<Record<string, unknown>>) => {
    const headers = { authorization: `Bearer ${await newToken()}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query: text, variables }) });
    return response.json();
  };
}
