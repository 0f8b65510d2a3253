/** The material of the selected body: sliders made from the declarations. */
import { type DescribedBody, phaseOf } from 'phyxel/browser';
import { formatUnit, h } from '../dom.js';
import { fromSlider, labelOf, type Parameter, type Parameters, sectionsFor, toSlider } from '../parameters.js';

export interface InspectorEvents {
  set(body: string, changes: Readonly<Record<string, number | string>>, label: string): void;
}

export class Inspector {
  readonly element = h('section', { class: 'panel inspector', 'aria-label': 'Material' });
  readonly #parameters: Parameters;
  readonly #events: InspectorEvents;
  readonly #fields = new Map<string, (value: number) => void>();
  #body: string | undefined;
  #key = '';

  constructor(parameters: Parameters, events: InspectorEvents) {
    this.#parameters = parameters;
    this.#events = events;
    this.show(undefined);
  }

  show(body: DescribedBody | undefined): void {
    const key = body ? `${body.name}:${phaseOf(body)}` : '';
    if (body && key === this.#key) {
      this.#fill(body);
      return;
    }
    this.#key = key;
    this.#body = body?.name;
    this.#fields.clear();
    if (!body) {
      this.element.replaceChildren(
        h('h2', {}, 'Material'),
        h('p', { class: 'hint' }, 'Select a body in the picture or in the list to change what it is made of.'),
      );
      return;
    }
    this.element.replaceChildren(
      h('h2', {}, body.name, h('span', { class: 'kind' }, body.kind)),
      this.#presets(body),
      ...sectionsFor(phaseOf(body), this.#parameters).map(({ title, parameters }, k) =>
        h(
          'details',
          { open: k === 0 },
          h('summary', {}, title),
          ...parameters.map((parameter) => this.#field(parameter)),
        ),
      ),
    );
    this.#fill(body);
  }

  #fill(body: DescribedBody): void {
    const material = body.material as unknown as Record<string, number>;
    for (const [key, set] of this.#fields) if (material[key] !== undefined) set(material[key]);
  }

  #presets(body: DescribedBody): HTMLElement {
    const presets = body.kind === 'fluid' ? [] : Object.keys(this.#parameters.presets);
    if (presets.length === 0) return h('div');
    const select = h(
      'select',
      {
        id: 'preset',
        change: () => {
          const values = this.#parameters.presets[select.value];
          if (!values || !this.#body) return;
          const known = new Set(
            this.#parameters.material.filter(({ acts }) => acts.includes(phaseOf(body))).map(({ key }) => key),
          );
          if (body.kind === 'solid') known.add('model');
          const changes = Object.fromEntries(Object.entries(values).filter(([key]) => known.has(key)));
          this.#events.set(this.#body, changes, `preset ${select.value}`);
          select.value = '';
        },
      },
      h('option', { value: '' }, 'Choose …'),
      ...presets.map((name) => h('option', { value: name }, name)),
    );
    return h('div', { class: 'row' }, h('label', { for: 'preset' }, 'Preset'), select);
  }

  #field(parameter: Parameter): HTMLElement {
    const { key, unit, text } = parameter;
    const id = `parameter-${key}`;
    const output = h('output', { for: id });
    const tell = (value: number) => {
      output.textContent = isBeyond(value, parameter) ? 'off' : formatUnit(value, unit);
    };
    const change = (value: number) => {
      tell(value);
      if (this.#body !== undefined) this.#events.set(this.#body, { [key]: value }, `${this.#body}: ${labelOf(key)}`);
    };
    const slider = h('input', {
      id,
      type: 'range',
      min: 0,
      max: 1000,
      step: 1,
      'aria-description': text,
      input: () => change(fromSlider(slider.valueAsNumber, parameter)),
    });
    const exact = h('input', {
      type: 'number',
      class: 'exact',
      'aria-label': `${labelOf(key)}, exact value${unit === '1' ? '' : ` in ${unit}`}`,
      step: 'any',
      change: () => {
        const value = exact.valueAsNumber;
        const isFine = Number.isFinite(value) && isAllowed(value, parameter);
        exact.setCustomValidity(isFine ? '' : `${labelOf(key)} cannot be ${exact.value || 'empty'}`);
        exact.reportValidity();
        if (isFine) change(value);
      },
    });
    this.#fields.set(key, (value) => {
      slider.value = String(toSlider(value, parameter));
      slider.setAttribute('aria-valuetext', formatUnit(value, unit));
      exact.value = String(value);
      tell(value);
    });
    return h(
      'div',
      { class: 'field', title: text },
      h('div', { class: 'field-head' }, h('label', { for: id }, labelOf(key)), output),
      h('div', { class: 'field-body' }, parameter.slider ? slider : false, exact),
    );
  }
}

/** Values that stand for "never" lie far beyond the slider. */
function isBeyond(value: number, { slider }: Parameter): boolean {
  return slider !== undefined && value >= 1e12 && value > slider.to;
}

function isAllowed(value: number, { above, atLeast, below, atMost }: Parameter): boolean {
  return (
    (above === undefined || value > above) &&
    (atLeast === undefined || value >= atLeast) &&
    (below === undefined || value < below) &&
    (atMost === undefined || value <= atMost)
  );
}
