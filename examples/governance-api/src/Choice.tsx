type Options = (readonly [value: string, text: string])[];
type ChoiceProps = { label: string; value: string; options: Options; choose(value: string): void };

export function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={({ target }) => choose(target.value)}>
      {options.map(([each, text]) => (
        <option key={each} value={each} label={text || each} />
      ))}
    </select>
  );
}
