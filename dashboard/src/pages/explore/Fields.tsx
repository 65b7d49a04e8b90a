import { useId } from 'preact/hooks';
import { exploreTexts } from '../../language/explore/texts.ts';
import { type Control, controlOf, type Draft, type DraftObject, emptyDraft, hintOf } from './model/form.ts';
import { type InputInfo, nameOf, type TypeMap, type TypeRef } from './model/types.ts';

interface Common {
  readonly types: TypeMap;
  /** Why values are refused, by their places. */
  readonly problems: Readonly<Record<string, string>>;
}

interface FieldListProps extends Common {
  readonly members: readonly InputInfo[];
  readonly draft: DraftObject;
  readonly onChange: (draft: DraftObject) => void;
  /** The place of the object that has these members; empty for the arguments. */
  readonly place?: string;
}

/** A field for each argument, or for each member of an object. */
export function FieldList({ members, draft, onChange, place = '', ...common }: FieldListProps) {
  return (
    <div class="fields">
      {members.map(({ name, description, type, defaultValue }) => (
        <Field
          key={name}
          name={name}
          type={type}
          about={description}
          defaultValue={defaultValue}
          place={place === '' ? name : `${place}.${name}`}
          draft={draft[name]}
          onChange={(value) => onChange({ ...draft, [name]: value })}
          {...common}
        />
      ))}
    </div>
  );
}

interface FieldProps extends Common {
  readonly name: string;
  readonly type: TypeRef;
  /** What the chain says of it. */
  readonly about?: string | null;
  readonly defaultValue?: string | null;
  readonly place: string;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** Removes the field from its list. */
  readonly onRemove?: () => void;
}

const objectOf = (draft: Draft): DraftObject =>
  typeof draft === 'object' && !Array.isArray(draft) ? (draft as DraftObject) : {};

const textOf = (draft: Draft): string => (typeof draft === 'string' ? draft : '');

function Remove({ name, onRemove }: { readonly name: string; readonly onRemove: (() => void) | undefined }) {
  if (onRemove === undefined) return null;
  return (
    <button type="button" class="button small" aria-label={exploreTexts.value.form.removeNamed(name)} onClick={onRemove}>
      {exploreTexts.value.form.remove}
    </button>
  );
}

/** One value: a text, a choice, a check, or a group of further fields. */
function Field(props: FieldProps) {
  const control = controlOf(props.type, props.types);
  switch (control.kind) {
    case 'list':
      return <ListField {...props} item={control.item} />;
    case 'object':
      return <ObjectField {...props} members={control.members} />;
    case 'oneOf':
      return <ChoiceField {...props} members={control.members} />;
    default:
      return <ValueField {...props} control={control} />;
  }
}

function ValueField({
  name,
  about = null,
  defaultValue,
  place,
  draft,
  onChange,
  onRemove,
  problems,
  control,
}: FieldProps & { readonly control: Extract<Control, { kind: 'text' | 'check' | 'json' | 'choice' }> }) {
  const id = useId();
  const problem = problems[place];
  const hint =
    control.kind === 'choice' ? exploreTexts.value.form.oneName : (hintOf(control.type.split(' ')[0] ?? '') ?? control.type);
  const described = { id, 'aria-describedby': `${id}-note`, 'aria-invalid': problem !== undefined };
  if (control.kind === 'check')
    return (
      <div class="field check">
        <input id={id} type="checkbox" checked={draft === true} onChange={(event) => onChange(event.currentTarget.checked)} />
        <label for={id}>{name}</label>
        <Remove name={name} onRemove={onRemove} />
      </div>
    );
  return (
    <div class={`field ${control.kind}`}>
      <label for={id}>{name}</label>
      <div class="row">
        {control.kind === 'choice' ? (
          <select {...described} value={textOf(draft)} onChange={(event) => onChange(event.currentTarget.value)}>
            <option value="">–</option>
            {control.values.map((value) => (
              <option key={value} value={value}>
                {value}
              </option>
            ))}
          </select>
        ) : control.kind === 'json' ? (
          <textarea
            {...described}
            rows={4}
            spellcheck={false}
            value={textOf(draft)}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        ) : (
          <input
            {...described}
            type="text"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            placeholder={defaultValue ?? ''}
            value={textOf(draft)}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )}
        <Remove name={name} onRemove={onRemove} />
      </div>
      <p id={`${id}-note`} class={problem === undefined ? 'note' : 'note failed'}>
        {problem ?? (about === null ? hint : `${about.trim()} (${hint})`)}
      </p>
    </div>
  );
}

function Problem({ of }: { readonly of: string | undefined }) {
  return of === undefined ? null : <p class="note failed">{of}</p>;
}

function ListField({ name, place, draft, onChange, onRemove, item, types, problems }: FieldProps & { readonly item: TypeRef }) {
  const items: readonly Draft[] = Array.isArray(draft) ? draft : [];
  const change = (index: number, value: Draft): void => onChange(items.map((each, at) => (at === index ? value : each)));
  return (
    <fieldset class="field group">
      <legend>
        {name}{' '}
        <span class="note">
          {exploreTexts.value.form.listOf} {hintOf(nameOf(item)) ?? exploreTexts.value.form.values}
        </span>
      </legend>
      {items.map((each, index) => (
        <Field
          key={index}
          name={`${name} ${index + 1}`}
          type={item}
          place={`${place}.${index}`}
          draft={each}
          onChange={(value) => change(index, value)}
          onRemove={() => onChange(items.filter((_, at) => at !== index))}
          types={types}
          problems={problems}
        />
      ))}
      <Problem of={problems[place]} />
      <div class="row">
        <button type="button" class="button small" onClick={() => onChange([...items, emptyDraft(item, types)])}>
          {exploreTexts.value.form.addTo} {name}
        </button>
        <Remove name={name} onRemove={onRemove} />
      </div>
    </fieldset>
  );
}

function ObjectField({
  name,
  place,
  draft,
  onChange,
  onRemove,
  members,
  types,
  problems,
}: FieldProps & { readonly members: readonly InputInfo[] }) {
  const isSet = draft !== undefined;
  return (
    <fieldset class="field group">
      <legend>
        {name} {isSet ? null : <span class="note">{exploreTexts.value.form.notSet}</span>}
      </legend>
      {isSet ? (
        <FieldList
          members={members}
          draft={objectOf(draft)}
          onChange={onChange}
          place={place}
          types={types}
          problems={problems}
        />
      ) : null}
      <Problem of={problems[place]} />
      <div class="row">
        {isSet ? (
          <Remove name={name} onRemove={onRemove ?? (() => onChange(undefined))} />
        ) : (
          <button type="button" class="button small" onClick={() => onChange({})}>
            {exploreTexts.value.form.set} {name}
          </button>
        )}
      </div>
    </fieldset>
  );
}

function ChoiceField({
  name,
  place,
  draft,
  onChange,
  onRemove,
  members,
  types,
  problems,
}: FieldProps & { readonly members: readonly InputInfo[] }) {
  const id = useId();
  const values = objectOf(draft);
  const chosen = members.find((member) => values[member.name] !== undefined);
  const choose = (next: string): void => {
    const member = members.find((each) => each.name === next);
    onChange(member === undefined ? undefined : { [next]: emptyDraft(member.type, types) });
  };
  return (
    <fieldset class="field group">
      <legend>
        {name}{' '}
        <span class="note">
          {exploreTexts.value.form.oneOf} {members.length}
        </span>
      </legend>
      <div class="row">
        <select
          id={id}
          aria-label={exploreTexts.value.form.choiceOf(name)}
          value={chosen?.name ?? ''}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="">–</option>
          {members.map((member) => (
            <option key={member.name} value={member.name}>
              {member.name}
            </option>
          ))}
        </select>
        <Remove name={name} onRemove={onRemove} />
      </div>
      {chosen === undefined ? null : (
        <Field
          key={chosen.name}
          name={chosen.name}
          type={chosen.type}
          place={`${place}.${chosen.name}`}
          draft={values[chosen.name]}
          onChange={(value) => onChange({ [chosen.name]: value ?? emptyDraft(chosen.type, types) })}
          types={types}
          problems={problems}
        />
      )}
      <Problem of={problems[place]} />
    </fieldset>
  );
}
