/**
 * How memory is declared: tables of arrays, scalars and records, from which the offsets that the passes read
 * (scripts/build-layout.mjs writes them as constants, for both compilers), allocation, saves, hashes and memory
 * estimates follow. Nothing of it is numbered by hand.
 *
 * A context block is what every pass gets the address of: 4-byte slots with addresses of arrays, and scalars of the step.
 */

type Lane = 'u8' | 'u32' | 'i32' | 'f32' | 'u64' | 'f64' | 'f32x4';
/** A number or vector, or several one after the other. */
export type Type = Lane | `${Lane}[${number}]`;

const LANES: Readonly<Record<Lane, { bytes: number; align: number }>> = {
  u8: { bytes: 1, align: 1 },
  u32: { bytes: 4, align: 4 },
  i32: { bytes: 4, align: 4 },
  f32: { bytes: 4, align: 4 },
  u64: { bytes: 8, align: 8 },
  f64: { bytes: 8, align: 8 },
  f32x4: { bytes: 16, align: 16 },
};
/** Of an address in a context block [bytes]. */
const ADDRESS = 4;

/** Whose elements an array has, one for each. */
export type Owner = 'particle' | 'boundary';

export interface Slot {
  /**
   * `state`: an array that a save holds and the state hash reads. `derived`: one that follows from the state, or is
   * needed for a moment. `array`: of a size that its owner knows. `scalar`: the value itself.
   */
  readonly kind: 'state' | 'derived' | 'array' | 'scalar';
  readonly text: string;
  /** Of a scalar, or of an array's elements. */
  readonly type?: Type;
  readonly per?: Owner;
  /** Is it allocated only when something asks for it? */
  readonly onDemand?: boolean;
}

type Slots = Readonly<Record<string, Slot>>;

export interface Block {
  readonly kind: 'block' | 'record';
  /** What its length is called, and what stands before the names of its slots. */
  readonly sizeName: string;
  readonly prefix: string;
  readonly slots: Slots;
  readonly offsets: Readonly<Record<string, number>>;
  readonly size: number;
}

export interface Constants {
  readonly kind: 'constants';
  readonly values: Readonly<Record<string, readonly [value: number, text: string]>>;
}

/** An array per particle that is part of the state. */
export function state(type: Type, text: string, { onDemand = false } = {}): Slot {
  return { kind: 'state', type, text, per: 'particle', onDemand };
}

/** An array that follows from the state, or is needed for a moment. */
export function derived(type: Type, text: string, per: Owner = 'particle'): Slot {
  return { kind: 'derived', type, text, per };
}

/** An array whose owner knows its size. */
export function array(text: string): Slot {
  return { kind: 'array', text };
}

/** A value in the block, or a field of a record. */
export function scalar(type: Type, text: string): Slot {
  return { kind: 'scalar', type, text };
}

/** A context block, which may go on where another one ends: passes for that one then work on it too. */
export function block(sizeName: string, slots: Slots, after?: Block): Block {
  const { offsets, end } = place(slots, after?.size ?? 0);
  return { kind: 'block', sizeName, prefix: '', slots, offsets, size: roundUp(end, 16) };
}

/** A row of a table: names begin with `name`, and `name_STRIDE` is its length. */
export function record(name: string, slots: Slots, prefix = `${name}_`): Block {
  const { offsets, end, align } = place(slots, 0);
  return { kind: 'record', sizeName: `${name}_STRIDE`, prefix, slots, offsets, size: roundUp(end, align) };
}

/** Numbers that passes and TypeScript share. */
export function constants(values: Constants['values']): Constants {
  return { kind: 'constants', values };
}

function place(slots: Slots, start: number) {
  const offsets: Record<string, number> = {};
  let end = start;
  let align = ADDRESS;
  for (const [name, { kind, type }] of Object.entries(slots)) {
    const own = kind === 'scalar' ? alignmentOf(type!) : ADDRESS;
    end = roundUp(end, own);
    align = Math.max(align, own);
    offsets[name] = end;
    end += kind === 'scalar' ? bytesOf(type!) : ADDRESS;
  }
  return { offsets, end, align };
}

function parse(type: Type): { lane: Lane; count: number } {
  const [lane, count] = type.split('[') as [Lane, string | undefined];
  return { lane, count: count === undefined ? 1 : Number.parseInt(count, 10) };
}

export function bytesOf(type: Type): number {
  const { lane, count } = parse(type);
  return count * LANES[lane].bytes;
}

function alignmentOf(type: Type): number {
  return LANES[parse(type).lane].align;
}

function roundUp(bytes: number, align: number): number {
  return Math.ceil(bytes / align) * align;
}

/** An array with an element for each particle: where its address is, and bytes of an element. */
export interface ArraySlot {
  readonly slot: number;
  readonly bytes: number;
}

/** Arrays of a block that everyone has, in the order of their declaration. */
export function arraysOf({ slots, offsets }: Block, per: Owner = 'particle', kind?: 'state' | 'derived'): ArraySlot[] {
  return Object.entries(slots)
    .filter(([, slot]) => slot.per === per && !slot.onDemand && (kind === undefined || slot.kind === kind))
    .map(([name, slot]) => ({ slot: offsets[name]!, bytes: bytesOf(slot.type!) }));
}

/** The arrays that are the state, those that are there on demand included. */
export function stateOf({ slots, offsets }: Block): ArraySlot[] {
  return Object.entries(slots)
    .filter(([, slot]) => slot.kind === 'state')
    .map(([name, slot]) => ({ slot: offsets[name]!, bytes: bytesOf(slot.type!) }));
}
