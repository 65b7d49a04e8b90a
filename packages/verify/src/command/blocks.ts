import { decodeLightBlock, type LightBlock } from '../lightClient.ts';
import { decodeValidators } from '../validators.ts';

/** The validators of a page of a node. */
const pageSize = 100;

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? { ...value } : {});

/** Reads blocks of a node over its RPC. Nothing of it is believed: the verification decides. */
export function blocksOf(url: string): (height: bigint) => Promise<LightBlock> {
  async function call(method: string, params: Readonly<Record<string, string>>): Promise<Members> {
    const target = new URL(method, url.endsWith('/') ? url : `${url}/`);
    for (const [name, value] of Object.entries(params)) target.searchParams.set(name, value);
    const response = await fetch(target);
    const { result } = membersOf(await response.json());
    if (result === undefined) throw new Error(`The node did not answer ${method} (status ${response.status}).`);
    return membersOf(result);
  }

  return async (height) => {
    const validators: unknown[] = [];
    for (let page = 1; ; page += 1) {
      const part = await call('validators', { height: String(height), per_page: String(pageSize), page: String(page) });
      const items: readonly unknown[] = Array.isArray(part.validators) ? part.validators : [];
      validators.push(...items);
      if (items.length === 0 || validators.length >= Number(part.total)) break;
    }
    const { signed_header: signedHeader } = await call('commit', { height: String(height) });
    return decodeLightBlock(signedHeader, decodeValidators(validators));
  };
}
