/** The shape of a value for decoders: the members in order, their types, and the encodings of texts. */
export type Shape = string | { [member: string]: Shape } | Shape[];

function shapeOfText(text: string): string {
  if (text === '') return 'text';
  if (/^-?\d+$/.test(text)) return 'integer';
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text)) return 'time';
  if (/^([0-9A-F]{64}|[0-9A-F]{40})$/.test(text)) return 'hex';
  return 'text';
}

/** Returns the shape of a value. Lists have the distinct shapes of their members. */
export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value)) {
    const shapes = new Map(value.map((item) => [JSON.stringify(shapeOf(item)), shapeOf(item)]));
    return [...shapes.values()];
  }
  if (typeof value === 'object' && value !== null) {
    // The content of an attribute depends on the application.
    const own = Object.keys(value).join() === 'key,value,index';
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, own && key === 'value' ? 'text' : shapeOf(member)]),
    );
  }
  return typeof value === 'string' ? shapeOfText(value) : value === null ? 'null' : typeof value;
}
