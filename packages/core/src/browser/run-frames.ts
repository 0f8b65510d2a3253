/**
 * Frames of a run folder, read one at a time where they are asked for. The format is that of `phyxel run`: magic,
 * version, a header in JSON, arrays with their bytes shuffled and deflated, and a CRC-32.
 */
import { crc32 } from '../math/crc32.js';
import { largestPrincipal, shearRates } from '../world/tensors.js';
import { brokenIn, type Recorded } from './packer.js';
import { ABSENT, type FrameStatistics, type Quantity, type RunRequest } from './protocol.js';

const MAGIC = 'PHYXFRAM';
const VERSION = 1;
/** Bytes of numbers that are kept. */
const MOST_BYTES = 200e6;
const QUANTITIES: readonly Quantity[] = ['stress', 'plasticStrain', 'damage', 'temperature', 'density', 'pressure'];

const OF_TENSORS: Readonly<Record<string, readonly [array: string, of: (values: Float32Array) => Float32Array]>> = {
  principalStress: ['stressTensor', largestPrincipal],
  principalStrain: ['strainTensor', largestPrincipal],
  shearRate: ['velocityGradient', shearRates],
};

export interface RunFrame {
  readonly frame: number;
  readonly time: number;
  readonly bodies: readonly {
    readonly name: string;
    readonly begin: number;
    readonly end: number;
    readonly melted?: boolean | undefined;
  }[];
  readonly recorded: Recorded;
}

interface Header extends Omit<RunFrame, 'recorded'> {
  readonly particles: number;
  readonly arrays: readonly { readonly name: string; readonly components: number; readonly bytes: number }[];
}

/** What run.json says of a frame, as far as it is shown. */
type FrameRecord = Pick<
  FrameStatistics,
  'energy' | 'momentum' | 'steps' | 'timeStep' | 'limitedBy' | 'maximumSpeed'
> & {
  readonly frame: number;
  readonly iterations?: number;
};

export class RunFrames {
  readonly #request: RunRequest;
  readonly #records: ReadonlyMap<number, FrameRecord>;
  readonly #kept = new Map<number, RunFrame>();

  constructor(request: RunRequest) {
    if (request.frames.length === 0) throw new RangeError('the run has no finished frame yet');
    this.#request = request;
    this.#records = new Map(readRecords(request.document).map((record) => [record.frame, record]));
  }

  get last(): number {
    return this.#request.frames.length - 1;
  }

  /** The frame nearest to a number. */
  async read(wanted: number): Promise<RunFrame> {
    const k = Math.min(this.last, Math.max(0, Math.round(wanted)));
    const kept = this.#kept.get(k);
    if (kept) return kept;
    const { name, content } = this.#request.frames[k]!;
    const read = await decodeRunFrame(await bytesOf(content, name), name);
    const size = read.recorded.positions.byteLength * (1 + read.recorded.quantities.size / 3);
    while (this.#kept.size > 1 && size * this.#kept.size > MOST_BYTES) {
      this.#kept.delete(this.#kept.keys().next().value!);
    }
    this.#kept.set(k, read);
    return read;
  }

  /** The first frame tells whether they are of these bodies. */
  async check(bodies: RunFrame['bodies']): Promise<void> {
    const listed = (list: RunFrame['bodies']) => JSON.stringify(list.map(({ name, begin, end }) => [name, begin, end]));
    if (listed((await this.read(0)).bodies) !== listed(bodies)) {
      throw new RangeError('the frames are of other particles than this program makes of the scene: run it again');
    }
  }

  statistics(frame: number, temperature: number | undefined): FrameStatistics {
    const none = { kinetic: NaN, elastic: NaN, gravity: NaN, total: NaN } as unknown as FrameStatistics['energy'];
    const record = this.#records.get(frame);
    return {
      energy: record?.energy ?? none,
      momentum: record?.momentum ?? [NaN, NaN, NaN],
      temperature,
      steps: record?.steps ?? 0,
      timeStep: record?.timeStep ?? 0,
      limitedBy: record?.limitedBy ?? '',
      iterations: record?.iterations ?? 0,
      maximumSpeed: record?.maximumSpeed ?? 0,
      stepMilliseconds: 0,
      packMilliseconds: 0,
    };
  }
}

/** A run that was cut off may have no record; it can be done without. */
function readRecords(text: string | undefined): readonly FrameRecord[] {
  try {
    const { frames } = JSON.parse(text ?? '{}') as { frames?: FrameRecord[] };
    return Array.isArray(frames) ? frames : [];
  } catch {
    return [];
  }
}

async function bytesOf(content: Blob | string, name: string): Promise<Uint8Array> {
  if (typeof content !== 'string') return new Uint8Array(await content.arrayBuffer());
  const response = await fetch(content);
  if (!response.ok) throw new RangeError(`${name}: HTTP status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export async function decodeRunFrame(bytes: Uint8Array, name: string): Promise<RunFrame> {
  const fail = (problem: string): never => {
    throw new RangeError(`${name}: ${problem}`);
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20 || String.fromCharCode(...bytes.subarray(0, 8)) !== MAGIC) fail('is no frame of a run');
  const version = view.getUint32(8, true);
  if (version !== VERSION) fail(`has version ${version}, this program reads version ${VERSION}`);
  if (crc32(bytes.subarray(0, bytes.length - 4)) !== view.getUint32(bytes.length - 4, true)) {
    fail('is damaged or cut off: its checksum does not match');
  }
  let at = 16 + view.getUint32(12, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, at))) as Header;
  const arrays = new Map<string, Float32Array>();
  for (const { name: array, components, bytes: length } of header.arrays) {
    const raw = await inflate(bytes.subarray(at, at + length), 4 * header.particles * components);
    at += length;
    if (!raw) fail(`has a wrong number of values in ${array}`);
    arrays.set(array, unshuffle(raw!));
  }
  const { frame, time, bodies } = header;
  const melted = bodies.filter((body) => body.melted === true).map(({ begin }) => begin);
  return { frame, time, bodies, recorded: recordOf(arrays, header, melted) };
}

function recordOf(
  arrays: ReadonlyMap<string, Float32Array>,
  { particles, bodies }: Header,
  melted: readonly number[],
): Recorded {
  const positions = arrays.get('position') ?? new Float32Array(3 * particles);
  const present = arrays.get('present');
  if (present) for (const [i, there] of present.entries()) if (there === 0) positions.fill(ABSENT, 3 * i, 3 * i + 3);
  const quantities = new Map<Quantity, Float32Array>();
  const v = arrays.get('velocity');
  if (v) {
    const speed = (i: number) => Math.sqrt(v[3 * i]! ** 2 + v[3 * i + 1]! ** 2 + v[3 * i + 2]! ** 2);
    quantities.set(
      'speed',
      Float32Array.from({ length: particles }, (_, i) => speed(i)),
    );
  }
  for (const [name, [array, of]] of Object.entries(OF_TENSORS)) {
    const values = arrays.get(array);
    if (values) quantities.set(name as Quantity, of(values));
  }
  for (const name of QUANTITIES) {
    const values = arrays.get(name);
    if (values) quantities.set(name, values);
  }
  const pieces = arrays.get('piece');
  const broken = pieces ? brokenIn(bodies, pieces) : new Map<number, Uint32Array>();
  return { positions, quantities, melted, molten: arrays.get('liquidFraction'), broken };
}

/** Undefined when it does not have the length: nothing larger is ever held. */
async function inflate(bytes: Uint8Array, length: number): Promise<Uint8Array | undefined> {
  const out = new Uint8Array(length);
  let filled = 0;
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('deflate'));
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return filled === length ? out : undefined;
    if (filled + value.length > length) return undefined;
    out.set(value, filled);
    filled += value.length;
  }
}

/** First bytes of all numbers come first, then the second ones, and so on. */
function unshuffle(shuffled: Uint8Array): Float32Array {
  const count = shuffled.length / 4;
  const bytes = new Uint8Array(shuffled.length);
  for (let plane = 0; plane < 4; plane++) {
    for (let i = 0; i < count; i++) bytes[4 * i + plane] = shuffled[plane * count + i]!;
  }
  return new Float32Array(bytes.buffer);
}
