/** Fields for a value, made from its schema. Every change gives a whole new value. */
import { h, iconButton } from '../dom.js';
import { labelOf } from '../parameters.js';
import {
  type Definitions,
  formulaOf,
  initialValue,
  kindOf,
  resolve,
  type Schema,
  shownKeys,
  type Values,
} from '../schema.js';

export interface FormContext {
  readonly definitions: Definitions;
  /** Names that a body and a file may be chosen from. */
  readonly bodies: readonly string[];
  readonly files: readonly string[];
  /** Regions to begin with, by their kind: around the body that they are of. */
  readonly regions?: Values | undefined;
}

type Set = (value: unknown) => void;
const AXES = ['x', 'y', 'z'] as const;

/** The fields of an object; `without` are keys that are shown elsewhere. */
export function objectFields(
  context: FormContext,
  schema: Schema,
  value: Values,
  path: string,
  set: Set,
  without: readonly string[] = [],
): HTMLElement[] {
  const { shown, more } = shownKeys(schema, value, without);
  const put = (key: string, part: unknown) => set({ ...value, [key]: part });
  const rows = shown.map((key) => {
    const known = resolve(schema.properties![key]!, context.definitions);
    const isOptional = !schema.required?.includes(key) && known.default === undefined && key !== 'name';
    const drop = () => set(Object.fromEntries(Object.entries(value).filter(([own]) => own !== key)));
    return field(
      context,
      key,
      known,
      value[key] ?? known.default,
      `${path}-${key}`,
      (part) => put(key, part),
      isOptional ? drop : undefined,
    );
  });
  if (more.length === 0) return rows;
  const add = h(
    'select',
    {
      id: `${path}-more`,
      class: 'more',
      'aria-label': 'Add a property',
      change: () => {
        const key = add.value;
        if (key) put(key, initialValue(schema.properties![key]!, context.definitions));
      },
    },
    h('option', { value: '' }, 'More …'),
    ...more.map((key) => h('option', { value: key }, labelOf(key))),
  );
  return [...rows, h('div', { class: 'row' }, add)];
}

/** A field with its name, its unit, and what it means. */
function field(
  context: FormContext,
  key: string,
  schema: Schema,
  value: unknown,
  path: string,
  set: Set,
  drop?: () => void,
): HTMLElement {
  const unit = schema['x-unit'];
  const title = schema.description ?? '';
  const label = labelOf(key);
  const remove = drop && iconButton('close', `Remove ${label.toLowerCase()}`, drop);
  const parts = control(context, key, schema, value, path, set, label);
  const head = h(
    'div',
    { class: 'field-head' },
    h('label', { for: path }, label),
    h('span', { class: 'unit' }, unit === undefined || unit === '1' ? '' : unit),
    remove,
  );
  return h('div', { class: 'field', title }, head, ...parts);
}

function control(
  context: FormContext,
  key: string,
  schema: Schema,
  value: unknown,
  path: string,
  set: Set,
  label: string,
): HTMLElement[] {
  switch (kindOf(schema)) {
    case 'number':
      return [Array.isArray(value) ? dataInput(value, path, label, set) : numberInput(schema, value, path, label, set)];
    case 'data':
      return [dataInput(value, path, label, set)];
    case 'vector': {
      const parts = (value ?? [0, 0, 0]) as readonly unknown[];
      const inputs = AXES.map((axis, k) =>
        numberInput(schema.items!, parts[k]!, k === 0 ? path : `${path}-${axis}`, `${label} ${axis}`, (part) =>
          set(parts.with(k, part)),
        ),
      );
      return [h('div', { class: 'vector' }, ...inputs)];
    }
    case 'word':
      return [select(schema.enum!, value as string, path, label, set)];
    case 'flag':
      return [checkbox(value === true, path, label, set)];
    case 'axes': {
      const held = value as readonly string[];
      const boxes = AXES.map((axis, k) => {
        const change: Set = (on) => set(on ? [...held, axis] : held.filter((own) => own !== axis));
        return h(
          'label',
          { class: 'axis' },
          checkbox(held.includes(axis), k === 0 ? path : `${path}-${axis}`, `${label} ${axis}`, change),
          axis,
        );
      });
      return [h('div', { class: 'vector' }, ...boxes)];
    }
    case 'color': {
      const input: HTMLInputElement = h('input', {
        id: path,
        type: 'color',
        value: String(value),
        change: () => set(input.value),
      });
      return [input];
    }
    case 'text': {
      const names = key === 'body' ? context.bodies : key === 'file' ? context.files : undefined;
      if (names) return [select(names, String(value ?? ''), path, label, set)];
      const input: HTMLInputElement = h('input', {
        id: path,
        type: 'text',
        class: 'words',
        value: String(value ?? ''),
        required: true,
        maxlength: 200,
        change: () => input.reportValidity() && set(input.value),
      });
      return [input];
    }
    case 'names': {
      const input: HTMLInputElement = h('input', {
        id: path,
        type: 'text',
        class: 'words',
        value: [value].flat().join(', '),
        required: true,
        change: () => {
          const names = input.value.split(',').map((name) => name.trim());
          if (input.reportValidity()) set(names.length === 1 ? names[0] : names);
        },
      });
      return [input];
    }
    case 'one': {
      const chosen = Object.keys(value as Values)[0]!;
      const inner = schema.properties![chosen]!;
      const first = (name: string) =>
        (key === 'region' ? context.regions?.[name] : undefined) ??
        initialValue(schema.properties![name]!, context.definitions);
      const choose: Set = (name) => set({ [name as string]: first(name as string) });
      const known = resolve(inner, context.definitions);
      const nested =
        kindOf(known) === 'object'
          ? objectFields(context, known, (value as Values)[chosen] as Values, `${path}-${chosen}`, (part) =>
              set({ [chosen]: part }),
            )
          : kindOf(known) === 'list'
            ? control(
                context,
                chosen,
                known,
                (value as Values)[chosen],
                `${path}-${chosen}`,
                (part) => set({ [chosen]: part }),
                labelOf(chosen),
              )
            : [];
      // What a vessel holds depends on what else there is: it is written in the text.
      const names = Object.keys(schema.properties!).filter((name) => name !== 'fill' || name === chosen);
      return [select(names, chosen, path, label, choose), h('div', { class: 'nested' }, ...nested)];
    }
    case 'list':
      return [list(context, schema, (value ?? []) as readonly Values[], path, set, label)];
    case 'object':
      return [h('div', { class: 'nested' }, ...objectFields(context, schema, (value ?? {}) as Values, path, set))];
    case 'constant':
      return [];
  }
}

/** Rows that can be added and taken away. A new one is as the last, a second later if it has a time. */
function list(
  context: FormContext,
  schema: Schema,
  values: readonly Values[],
  path: string,
  set: Set,
  label: string,
): HTMLElement {
  const item = resolve(schema.items!, context.definitions);
  const add = () => {
    const last = values.at(-1);
    const next = last
      ? { ...last, ...(typeof last.time === 'number' && { time: last.time + 1 }) }
      : initialValue(item, context.definitions);
    set([...values, next]);
  };
  return h(
    'div',
    { class: 'list' },
    ...values.map((value, k) =>
      h(
        'fieldset',
        {},
        h(
          'legend',
          {},
          `${k + 1}`,
          iconButton('close', `Remove ${label.toLowerCase()} ${k + 1}`, () => set(values.toSpliced(k, 1))),
        ),
        ...objectFields(context, item, value, `${path}-${k}`, (part) => set(values.with(k, part as Values))),
      ),
    ),
    h('button', { type: 'button', id: path, click: add }, 'Add'),
  );
}

/** A number, or a formula where one may be given: those are checked with the scene. */
function formulaInput(value: unknown, id: string, label: string, set: Set): HTMLInputElement {
  const input: HTMLInputElement = h('input', {
    id,
    type: 'text',
    class: 'exact',
    'aria-label': label,
    required: true,
    maxlength: 2000,
    value: value === undefined ? '' : String(value),
    change: () => {
      const number = Number(input.value);
      if (input.reportValidity()) set(Number.isFinite(number) ? number : input.value);
    },
  });
  return input;
}

/** Numbers in rows, as in the text of a scene. */
function dataInput(value: unknown, id: string, label: string, set: Set): HTMLInputElement {
  const input: HTMLInputElement = h('input', {
    id,
    type: 'text',
    class: 'exact',
    'aria-label': label,
    required: true,
    value: JSON.stringify(value ?? []).replaceAll(',', ', '),
    change: () => {
      input.setCustomValidity('');
      try {
        set(JSON.parse(input.value));
      } catch {
        input.setCustomValidity(`${label} must be numbers in brackets, like [[0, 0], [1, 0]]`);
        input.reportValidity();
      }
    },
  });
  return input;
}

function numberInput(schema: Schema, value: unknown, id: string, label: string, set: Set): HTMLInputElement {
  if (formulaOf(schema)) return formulaInput(value, id, label, set);
  const input: HTMLInputElement = h('input', {
    id,
    type: 'number',
    class: 'exact',
    'aria-label': label,
    step: schema.type === 'integer' ? 1 : 'any',
    min: schema.minimum ?? schema.exclusiveMinimum,
    max: schema.maximum ?? schema.exclusiveMaximum,
    required: true,
    value: Number.isFinite(value) ? Number(value) : '',
    change: () => {
      const isOpen = input.valueAsNumber === schema.exclusiveMinimum || input.valueAsNumber === schema.exclusiveMaximum;
      input.setCustomValidity(isOpen ? `${label} cannot be ${input.value}` : '');
      if (input.reportValidity()) set(input.valueAsNumber);
    },
  });
  return input;
}

function select(names: readonly string[], value: string, id: string, label: string, set: Set): HTMLSelectElement {
  const all = names.includes(value) ? names : [value, ...names];
  const element: HTMLSelectElement = h(
    'select',
    { id, 'aria-label': label, change: () => set(element.value) },
    ...all.map((name) => h('option', { value: name, selected: name === value }, name)),
  );
  return element;
}

function checkbox(value: boolean, id: string, label: string, set: Set): HTMLInputElement {
  const input: HTMLInputElement = h('input', {
    id,
    type: 'checkbox',
    'aria-label': label,
    checked: value,
    change: () => set(input.checked),
  });
  return input;
}
