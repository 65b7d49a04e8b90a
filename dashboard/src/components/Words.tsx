import { shorten } from '../format/addresses.ts';
import { urlOf } from '../routing/router.ts';
import { Address } from './Address.tsx';

/** What is linked in the words of a message: addresses, proposals and groups. */
const places = /\b([a-z]{2,16}1[02-9ac-hj-np-z]{38,58})\b|\b(governance proposal|proposal|group) (\d+)\b/g;

/** The paths of their pages. */
const paths: Readonly<Record<string, string>> = { 'governance proposal': '/gov', proposal: '/proposals', group: '/groups' };

/** A message in words, with links. A message without words is shown by its type. */
export function Words({ type, inWords }: { readonly type: string; readonly inWords: string | null }) {
  if (inWords === null) return <code class="type">{shortType(type)}</code>;
  const parts = [];
  let end = 0;
  for (const match of inWords.matchAll(places)) {
    const [text, address, kind, id] = match;
    parts.push(inWords.slice(end, match.index));
    const isAccount = address !== undefined && !/^(scope|scopespec|contractspec|recspec|session|record)1/.test(address);
    if (address !== undefined && !isAccount) parts.push(<span title={address}>{shorten(address)}</span>);
    else if (address !== undefined) parts.push(<Address of={address} hasCopy={false} />);
    else parts.push(<a href={urlOf(`${paths[kind ?? '']}/${id}`)}>{text}</a>);
    end = match.index + text.length;
  }
  parts.push(inWords.slice(end));
  return <span class="words">{parts}</span>;
}

/** The last part of a type URL: `MsgSend` of `/cosmos.bank.v1beta1.MsgSend`. */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1).replace(/^\//, '');
}
