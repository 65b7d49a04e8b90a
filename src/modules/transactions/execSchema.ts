import type { TxExec } from '../../chain/base/execution.ts';
import { type Builder, readableWithBroadcast } from '../../schema/builder.ts';
import { eventsOfType } from '../events/events.ts';
import { EventRef } from '../events/refs.ts';
import * as refs from './refs.ts';

/** Adds the results of a transaction: `TxExec` from its execution in a block, `TxCheck` from CheckTx. */
export function addExec(builder: Builder): void {
  builder.objectType(refs.TxExecRef, {
    extensions: readableWithBroadcast,
    description: 'The result of executing a transaction in a block.',
    fields: (t) => ({
      code: t.exposeInt('code', { nullable: false, description: '0 is success.' }),
      codespace: t.exposeString('codespace', { nullable: false }),
      log: t.exposeString('log', { nullable: false }),
      info: t.exposeString('info', { nullable: false }),
      data: t.expose('data', { type: 'Base64', nullable: true }),
      gasWanted: t.expose('gasWanted', { type: 'Int64', nullable: false }),
      gasUsed: t.expose('gasUsed', { type: 'Int64', nullable: false }),
      events: t.field({
        type: [EventRef],
        nullable: false,
        args: { type: t.arg.string() },
        resolve: ({ events }: TxExec, { type }) => eventsOfType(events, type),
      }),
    }),
  });
  builder.objectType(refs.TxCheckRef, {
    extensions: readableWithBroadcast,
    description: 'The result of CheckTx: whether a node accepts the transaction.',
    fields: (t) => ({
      code: t.exposeInt('code', { nullable: false, description: '0 is success.' }),
      codespace: t.exposeString('codespace', { nullable: false }),
      log: t.exposeString('log', { nullable: false }),
      info: t.exposeString('info', { nullable: false }),
      data: t.expose('data', { type: 'Base64', nullable: true }),
      gasWanted: t.expose('gasWanted', { type: 'Int64', nullable: false }),
      gasUsed: t.expose('gasUsed', { type: 'Int64', nullable: false }),
      events: t.expose('events', { type: [EventRef], nullable: false }),
    }),
  });
}
