import type { MessageReader } from './message.ts';
import type { Summarizers } from './summarizer.ts';

function bound(record: MessageReader, name: string): string {
  return `the ${record.flag('restricted') ? 'restricted' : 'unrestricted'} name ${name} to ${record.word('address')}`;
}

/** Summaries of the messages of `provenance.name.v1`. */
export const nameSummaries: Summarizers = {
  MsgBindNameRequest(message) {
    const parent = message.part('parent');
    const record = message.part('record');
    return `${parent.word('address')} binds ${bound(record, `${record.word('name')}.${parent.word('name')}`)}`;
  },
  MsgDeleteNameRequest(message) {
    const record = message.part('record');
    return `${record.word('address')} deletes the name ${record.word('name')}`;
  },
  MsgModifyNameRequest(message) {
    const record = message.part('record');
    return `${message.word('authority')} binds ${bound(record, record.word('name'))}`;
  },
  MsgCreateRootNameRequest(message) {
    const record = message.part('record');
    return `${message.word('authority')} creates the root name ${record.word('name')} for ${record.word('address')}`;
  },
  MsgUpdateParamsRequest: (message) => `${message.word('authority')} changes the parameters of the name module`,
};
