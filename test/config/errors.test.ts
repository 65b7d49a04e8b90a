import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { printErrors } from '../../scripts/printedPages.ts';
import { statusOf } from '../../src/answers/errors.ts';

describe('the table of error codes', () => {
  it('is printed in docs/errors.md', () => {
    expect(printErrors()).toBe(readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8'));
  });

  it.each([
    ['NODE_TIMEOUT', { status: 504 }],
    ['NODE_UNREACHABLE', { status: 503 }],
    ['NODE_INCONSISTENT', { status: 502 }],
    ['INTERNAL_SERVER_ERROR', { status: 500 }],
    ['BAD_USER_INPUT', { status: 400, spec: true }],
    ['constructor', { status: 400, spec: true }],
    [undefined, { status: 400, spec: true }],
  ])('maps %s to its HTTP status', (code, status) => {
    expect(statusOf(code)).toEqual(status);
  });
});
