import { expect, it } from 'vitest';
import { createOpened } from '../src/start/starting.ts';

it('what a process has opened is closed in the reverse order, one after another, also after one that cannot be closed', async () => {
  const opened = createOpened();
  const closed: string[] = [];
  opened.add(() => closed.push('chain'));
  opened.add(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    closed.push('archive');
  });
  opened.add(() => {
    throw new Error('no');
  });
  opened.add(() => Promise.reject(new Error('no')));
  opened.add(() => closed.push('server'));
  await opened.close();
  expect(closed).toEqual(['server', 'archive', 'chain']);
  await opened.close();
  expect(closed).toHaveLength(3);
});
