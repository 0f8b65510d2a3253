/**
 * Encoded pictures as a WebM file: the elements of Matroska that players need, with sizes known from the start and an
 * index of key frames at the end.
 */
export interface EncodedPicture {
  /** [ms] */
  readonly time: number;
  readonly isKey: boolean;
  readonly bytes: Uint8Array;
}

export interface WebmTrack {
  readonly codec: 'V_VP8' | 'V_VP9';
  readonly width: number;
  readonly height: number;
  readonly frameRate: number;
}

/** Clusters are at most this long [ms]: times in them have 16 bits with sign. */
const LONGEST_CLUSTER = 30_000;

const ID = {
  header: [0x1a, 0x45, 0xdf, 0xa3],
  version: [0x42, 0x86],
  readVersion: [0x42, 0xf7],
  maximumIdLength: [0x42, 0xf2],
  maximumSizeLength: [0x42, 0xf3],
  documentType: [0x42, 0x82],
  documentVersion: [0x42, 0x87],
  documentReadVersion: [0x42, 0x85],
  segment: [0x18, 0x53, 0x80, 0x67],
  info: [0x15, 0x49, 0xa9, 0x66],
  timestampScale: [0x2a, 0xd7, 0xb1],
  duration: [0x44, 0x89],
  muxingApp: [0x4d, 0x80],
  writingApp: [0x57, 0x41],
  tracks: [0x16, 0x54, 0xae, 0x6b],
  track: [0xae],
  trackNumber: [0xd7],
  trackUid: [0x73, 0xc5],
  trackType: [0x83],
  lacing: [0x9c],
  codecId: [0x86],
  defaultDuration: [0x23, 0xe3, 0x83],
  video: [0xe0],
  width: [0xb0],
  height: [0xba],
  cluster: [0x1f, 0x43, 0xb6, 0x75],
  timestamp: [0xe7],
  block: [0xa3],
  cues: [0x1c, 0x53, 0xbb, 0x6b],
  cue: [0xbb],
  cueTime: [0xb3],
  cuePositions: [0xb7],
  cueTrack: [0xf7],
  cuePosition: [0xf1],
} as const;

/** Pictures must be in the order of their times and begin with a key frame. */
export function writeWebm(track: WebmTrack, pictures: readonly EncodedPicture[]): Uint8Array<ArrayBuffer> {
  if (!pictures[0]?.isKey) throw new RangeError('a video begins with a key frame');
  const head = [
    element(
      ID.info,
      element(ID.timestampScale, unsigned(1_000_000)),
      element(ID.duration, float(pictures.at(-1)!.time + 1000 / track.frameRate)),
      element(ID.muxingApp, text('phyxel')),
      element(ID.writingApp, text('phyxel studio')),
    ),
    element(
      ID.tracks,
      element(
        ID.track,
        element(ID.trackNumber, unsigned(1)),
        element(ID.trackUid, unsigned(1)),
        element(ID.trackType, unsigned(1)),
        element(ID.lacing, unsigned(0)),
        element(ID.codecId, text(track.codec)),
        element(ID.defaultDuration, unsigned(Math.round(1e9 / track.frameRate))),
        element(ID.video, element(ID.width, unsigned(track.width)), element(ID.height, unsigned(track.height))),
      ),
    ),
  ];
  const cues: Uint8Array[] = [];
  const clusters: Uint8Array[] = [];
  let position = head.reduce((sum, part) => sum + part.length, 0);
  for (const group of clustersOf(pictures)) {
    const start = Math.round(group[0]!.time);
    const made = element(
      ID.cluster,
      element(ID.timestamp, unsigned(start)),
      ...group.map((picture) => element(ID.block, block(picture, start))),
    );
    const place = element(
      ID.cuePositions,
      element(ID.cueTrack, unsigned(1)),
      element(ID.cuePosition, unsigned(position)),
    );
    if (group[0]!.isKey) cues.push(element(ID.cue, element(ID.cueTime, unsigned(start)), place));
    clusters.push(made);
    position += made.length;
  }
  const header = element(
    ID.header,
    element(ID.version, unsigned(1)),
    element(ID.readVersion, unsigned(1)),
    element(ID.maximumIdLength, unsigned(4)),
    element(ID.maximumSizeLength, unsigned(8)),
    element(ID.documentType, text('webm')),
    element(ID.documentVersion, unsigned(4)),
    element(ID.documentReadVersion, unsigned(2)),
  );
  return join([header, element(ID.segment, ...head, ...clusters, element(ID.cues, ...cues))]);
}

/** A cluster begins with every key frame, and where one would be too long. */
function clustersOf(pictures: readonly EncodedPicture[]): EncodedPicture[][] {
  const groups: EncodedPicture[][] = [];
  for (const picture of pictures) {
    const last = groups.at(-1);
    if (last && !picture.isKey && picture.time - last[0]!.time < LONGEST_CLUSTER) last.push(picture);
    else groups.push([picture]);
  }
  return groups;
}

/** Track, time since the cluster's, flags, and the picture. */
function block({ time, isKey, bytes }: EncodedPicture, start: number): Uint8Array {
  const after = Math.round(time) - start;
  return join([Uint8Array.of(0x81, (after >> 8) & 0xff, after & 0xff, isKey ? 0x80 : 0), bytes]);
}

function element(id: readonly number[], ...content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = content.reduce((sum, part) => sum + part.length, 0);
  return join([Uint8Array.from(id), length(size), ...content]);
}

/** Always eight bytes, the first of which says so. */
function length(size: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(size));
  bytes[0] = 1;
  return bytes;
}

function unsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest >= 1 || bytes.length === 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

function float(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
