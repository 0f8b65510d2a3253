/** How a wrong value is shown in a message: short, on one line. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) {
    const flat = value.length <= 4 && value.every((item) => typeof item === 'number');
    return flat ? `[${value.join(', ')}]` : `a list of ${value.length}`;
  }
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A text in quotation marks, cut short where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}
