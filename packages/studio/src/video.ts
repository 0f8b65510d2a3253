/** Encodes pictures of a canvas as a video, by the browser's own encoder. */
import { type EncodedPicture, writeWebm } from './webm.js';

const CODECS = [
  { name: 'vp09.00.41.08', codec: 'V_VP9' },
  { name: 'vp8', codec: 'V_VP8' },
] as const;
/** Seconds between key frames, which players can jump to. */
const KEY_INTERVAL = 2;
/** Bits for each pixel of each picture. */
const BITS = 0.12;
/** Pictures that may wait for the encoder. */
const WAITING = 4;

export interface VideoJob {
  readonly canvas: HTMLCanvasElement;
  readonly frameRate: number;
  readonly count: number;
  /** Puts a picture on the canvas. */
  readonly draw: (picture: number) => Promise<void>;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

/** Throws when the browser cannot, and the signal's reason when it was given up. */
export async function encodeVideo(job: VideoJob): Promise<Uint8Array<ArrayBuffer>> {
  const { canvas, frameRate, count, signal } = job;
  // Colours are stored for squares of four pixels.
  const [width, height] = [canvas.width & ~1, canvas.height & ~1];
  const { name, codec } = await chooseCodec(width, height, frameRate);
  const pictures: EncodedPicture[] = [];
  let failure: Error | undefined;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      pictures.push({ time: chunk.timestamp / 1000, isKey: chunk.type === 'key', bytes });
    },
    error: (error) => {
      failure = error;
    },
  });
  try {
    encoder.configure(configuration(name, width, height, frameRate));
    for (let k = 0; k < count; k++) {
      await job.draw(k);
      signal.throwIfAborted();
      if (canvas.width < width || canvas.height < height) throw new Error('the window became smaller meanwhile');
      const frame = new VideoFrame(canvas, {
        timestamp: Math.round((1e6 * k) / frameRate),
        duration: Math.round(1e6 / frameRate),
        visibleRect: { x: 0, y: 0, width, height },
      });
      encoder.encode(frame, { keyFrame: k % Math.round(KEY_INTERVAL * frameRate) === 0 });
      frame.close();
      while (encoder.encodeQueueSize > WAITING && !failure) await new Promise((resolve) => setTimeout(resolve, 5));
      if (failure) throw failure;
      job.onProgress(k + 1);
    }
    await encoder.flush();
    if (failure) throw failure;
    signal.throwIfAborted();
  } finally {
    if (encoder.state !== 'closed') encoder.close();
  }
  return writeWebm({ codec, width, height, frameRate }, pictures);
}

async function chooseCodec(width: number, height: number, frameRate: number): Promise<(typeof CODECS)[number]> {
  if (typeof VideoEncoder === 'undefined') {
    throw new Error(
      'This browser has no WebCodecs, which videos are made with. Current Chrome, Edge and Safari have it.',
    );
  }
  for (const candidate of CODECS) {
    const { supported } = await VideoEncoder.isConfigSupported(configuration(candidate.name, width, height, frameRate));
    if (supported) return candidate;
  }
  throw new Error('This browser can encode neither VP9 nor VP8.');
}

function configuration(codec: string, width: number, height: number, framerate: number): VideoEncoderConfig {
  return { codec, width, height, framerate, bitrate: Math.round(BITS * width * height * framerate) };
}
