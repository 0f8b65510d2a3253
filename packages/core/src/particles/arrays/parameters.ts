/** Fields of rows that are parameters of a material, from their declarations. */
import { type MaterialDeclaration, materialDeclarations } from '../../options/material-parameters.js';
import { type Block, type Slot, scalar } from './table.js';

type Row = NonNullable<MaterialDeclaration['rows']>[number];

const inRow = (row: Row) => materialDeclarations.filter(([, { rows }]) => rows?.includes(row));
/** `plasticVolume` as constants are called. */
const upper = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

export function parametersIn(row: Row): Record<string, Slot> {
  return Object.fromEntries(
    inRow(row).map(([key, { text, unit }]) => [upper(key), scalar('f32', `${text.replace(/[.]$/, '')} [${unit}]`)]),
  );
}

/** Where parameters are in a row [bytes]. */
export function parameterOffsets(row: Row, { offsets }: Block): Record<string, number> {
  return Object.fromEntries(inRow(row).map(([key]) => [key, offsets[upper(key)]!]));
}
