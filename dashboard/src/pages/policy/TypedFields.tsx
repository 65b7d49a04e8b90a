import { useEffect, useState } from 'preact/hooks';
import { prefixOf } from '../../format/addresses.ts';
import { FieldList } from '../explore/Fields.tsx';
import { type DraftObject, draftOfMembers, readMembers } from '../explore/model/form.ts';
import type { Entry } from './draft.ts';

type Forms = typeof import('./messageTypes.ts');

interface TypedFieldsProps {
  readonly entry: Entry;
  readonly policy: string;
  onChange(entry: Entry): void;
}

/** The draft in an entry. undefined if it is not one. */
function draftIn({ form }: Entry): DraftObject | undefined {
  try {
    const draft: unknown = JSON.parse(form);
    return typeof draft === 'object' && draft !== null && !Array.isArray(draft) ? Object(draft) : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(json: string): object {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

/** The fields of a message of a type, by its descriptor. */
export function TypedFields({ entry, policy, onChange }: TypedFieldsProps) {
  const [forms, setForms] = useState<Forms | undefined>(undefined);
  useEffect(() => {
    import('./messageTypes.ts').then(setForms, () => undefined);
  }, []);
  const form = forms?.messageForm(entry.kind, prefixOf(policy));
  if (forms === undefined || form === undefined) return null;
  const { members, types } = form;
  const draft = draftIn(entry) ?? draftOfMembers(members, Object(forms.withoutTypes(fieldsOf(entry.json))), types);
  const { problems } = readMembers(members, draft, types);
  return (
    <FieldList
      members={members}
      types={types}
      draft={draft}
      problems={problems}
      onChange={(next) => {
        const reading = readMembers(members, next, types);
        const isRead = Object.keys(reading.problems).length === 0;
        const json = { '@type': entry.kind, ...Object(forms.withTypes(reading.value)) };
        onChange({ ...entry, form: JSON.stringify(next), json: isRead ? JSON.stringify(json, null, 2) : '' });
      }}
    />
  );
}
