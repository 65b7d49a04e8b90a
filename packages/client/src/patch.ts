/** An operation of a JSON Patch (RFC 6902), as the server sends them. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** Whether a member of a result is a patch. */
export function isPatch(patch: unknown): patch is readonly PatchOperation[] {
  return Array.isArray(patch);
}

type Container = unknown[] | Record<string, unknown>;

function copyOf(value: unknown): Container {
  if (Array.isArray(value)) return [...value];
  if (typeof value === 'object' && value !== null) return { ...value };
  throw new Error('the patch does not fit the result');
}

function childOf(parent: Container, name: string): unknown {
  return Array.isArray(parent) ? parent[Number(name)] : parent[name];
}

function put(parent: Container, name: string, value: unknown): void {
  if (Array.isArray(parent)) parent[Number(name)] = value;
  else parent[name] = value;
}

function change(parent: Container, name: string, { op, value }: PatchOperation): void {
  if (!Array.isArray(parent)) {
    if (op === 'remove') delete parent[name];
    else parent[name] = value;
  } else if (op === 'replace') parent[Number(name)] = value;
  else if (op === 'remove') parent.splice(Number(name), 1);
  else parent.splice(Number(name), 0, value);
}

/** Applies a patch. The parts that change are copied, and the others are shared with `document`, which does not change. */
export function applyPatch<T extends object>(document: T, patch: readonly PatchOperation[]): T {
  const root: { readonly '': T } = { '': document };
  const copies = new Set<unknown>();
  for (const operation of patch) {
    const names = operation.path.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    let parent: Container = root;
    for (const name of names.slice(0, -1)) {
      let child = childOf(parent, name);
      if (!copies.has(child)) {
        child = copyOf(child);
        copies.add(child);
        put(parent, name, child);
      }
      parent = child as Container;
    }
    change(parent, names.at(-1) ?? '', operation);
  }
  return root[''];
}
