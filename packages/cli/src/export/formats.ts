/** All formats that frames are exported in. A new one is a file beside this one and a line in `FORMATS`. */
import { glb } from './glb.js';
import { obj } from './obj.js';
import { ply } from './ply.js';
import { usda } from './usda.js';
import { vtp } from './vtp.js';

export const FORMATS = {
  glb,
  ply,
  obj,
  vtp,
  usda,
};

export type FormatName = keyof typeof FORMATS;
