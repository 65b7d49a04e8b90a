import type { Message } from './message.ts';
import type { Sentences } from './sentence.ts';

function bound(record: Message, name: string): string {
  return `the ${record.flag('restricted') ? 'restricted' : 'unrestricted'} name ${name} to ${record.text('address')}`;
}

/** `provenance.name.v1`. */
export const nameSentences: Sentences = {
  MsgBindNameRequest(message) {
    const parent = message.part('parent');
    const record = message.part('record');
    return `${parent.text('address')} binds ${bound(record, `${record.text('name')}.${parent.text('name')}`)}`;
  },
  MsgDeleteNameRequest(message) {
    const record = message.part('record');
    return `${record.text('address')} deletes the name ${record.text('name')}`;
  },
  MsgModifyNameRequest(message) {
    const record = message.part('record');
    return `${message.text('authority')} binds ${bound(record, record.text('name'))}`;
  },
  MsgCreateRootNameRequest(message) {
    const record = message.part('record');
    return `${message.text('authority')} creates the root name ${record.text('name')} for ${record.text('address')}`;
  },
  MsgUpdateParamsRequest: (message) => `${message.text('authority')} changes the parameters of the name module`,
};
