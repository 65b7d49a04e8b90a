import type { Event } from '../../chain/base/execution.ts';
import { createInputRef, createRef } from '../../schema/builder.ts';
import type { ConditionInput } from './eventConditions.ts';

/** An event of a transaction or block. */
export const EventRef = createRef<Event>('Event');
/** A condition on events. */
export const EventConditionInput = createInputRef<ConditionInput>('EventCondition');
