import { createHash } from 'node:crypto';

/** Documents by id: the manifest that the client preset of GraphQL Code Generator writes. An id is usually a hash of its document. */
export type DocumentManifest = Readonly<Record<string, string>>;

/** The documents that the operator trusts. */
export interface TrustedDocuments {
  /** Returns the document with this id, which is that of a manifest or the SHA-256 of the document in hex. */
  find(id: string): string | undefined;
  /** Whether a text is, character by character, a trusted document. */
  includes(text: string): boolean;
}

/** Trusted documents of which one manifest can be replaced. */
export interface ReplaceableDocuments extends TrustedDocuments {
  /** Replaces the documents of the operator. The built-in ones stay. */
  replace(manifest: DocumentManifest): void;
}

/** The SHA-256 of a document in hex, as clients send it. */
export function hashOfDocument(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Creates the list of trusted documents. Those of `builtIn` are always trusted. */
export function createTrustedDocuments(builtIn: DocumentManifest = {}): ReplaceableDocuments {
  let byId = new Map<string, string>();
  let texts = new Set<string>();

  function replace(manifest: DocumentManifest): void {
    // The built-in documents come last, so that no manifest can replace one.
    const entries = [...Object.entries(manifest), ...Object.entries(builtIn)];
    byId = new Map([...entries.map(([, text]) => [hashOfDocument(text), text] as const), ...entries]);
    texts = new Set(byId.values());
  }

  replace({});
  return { find: (id) => byId.get(id), includes: (text) => texts.has(text), replace };
}
