import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CollectedRequest } from '../../../src/server/messages/body.ts';
import { createRoutes } from '../../../src/server/router.ts';

const request = new CollectedRequest(new Socket());

const routes = createRoutes([
  { name: 'page', paths: ['/graphql', '/'], accepts: (_: unknown, path: string) => path === '/' },
  { name: 'graphql', paths: ['/graphql'] },
  { name: 'below', paths: ['/v1', '/v1/*'] },
  { name: 'exact', paths: ['/v1/chain'] },
  { name: 'rest', paths: ['/*'], accepts: (_: unknown, path: string) => path.startsWith('/cosmos/') },
]);

const nameAt = (path: string): string | undefined => routes(request, path)?.name;

describe('the routes of a server', () => {
  it('finds the handler of a whole path', () => {
    expect(nameAt('/v1/chain')).toBe('exact');
    expect(nameAt('/v1')).toBe('below');
  });

  it('finds the handler of all paths below a segment', () => {
    expect(['/v1/', '/v1/a', '/v1/a/b'].map(nameAt)).toEqual(['below', 'below', 'below']);
    expect(['/v', '/v12', '/v12/a', '/cosmos'].map(nameAt)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('asks the handlers of a path in their order whether they accept the request', () => {
    expect(nameAt('/graphql')).toBe('graphql');
    expect(nameAt('/')).toBe('page');
  });

  it('asks the handler of `/*` last', () => {
    expect(nameAt('/cosmos/bank')).toBe('rest');
    expect(nameAt('/other/bank')).toBeUndefined();
  });

  it('asks no handler of another path', () => {
    const ofOneHandler = createRoutes([
      {
        paths: ['/a'],
        accepts(): boolean {
          throw new Error('asked');
        },
      },
      { paths: ['/b'] },
    ]);
    expect(ofOneHandler(request, '/b')).toBeDefined();
    expect(() => ofOneHandler(request, '/a')).toThrow('asked');
  });
});
