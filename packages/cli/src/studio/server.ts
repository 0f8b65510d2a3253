/** Serves the studio and one project to this machine only. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, posix, sep } from 'node:path';

/** A scene and the files that it names, by paths relative to its folder. */
export interface Project {
  readonly folder: string;
  readonly scene: string;
  readonly files: readonly string[];
  /** Where in the folder files are that go by another name there. */
  readonly copies?: ReadonlyMap<string, string>;
  /** Folder of a run whose frames are played, and the names of their files. */
  readonly run?: { readonly folder: string; readonly frames: readonly string[] };
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.wasm': 'application/wasm',
};

/**
 * Shared memory, and with it threads, needs the first two. Nothing comes from other hosts and nothing is evaluated but
 * WebAssembly.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** [bytes] */
const LARGEST_REPORT = 1_000_000;

export interface StudioServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * `site` is the folder of the built studio. Port 0 takes a free one. `onReport` gets what a page of it posts to
 * `report`; without, nothing can be posted.
 */
export async function serveStudio(
  site: string,
  project: Project | undefined,
  port: number,
  onReport?: (report: string) => void,
): Promise<StudioServer> {
  const server = createServer((request, response) => {
    if (onReport && request.method === 'POST' && request.url === '/report' && isOwn(request)) {
      receive(request, response, onReport).catch(() => respond(response, 400, 'text/plain', 'failed'));
      return;
    }
    answer(request, response, site, project).catch(() => respond(response, 500, 'text/plain', 'failed'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${taken}/${project ? '?project' : ''}`, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  site: string,
  project: Project | undefined,
): Promise<void> {
  if (!isOwn(request)) return respond(response, 403, 'text/plain', 'other sites may not ask');
  if (request.method !== 'GET' && request.method !== 'HEAD') return respond(response, 405, 'text/plain', 'only GET');
  const path = pathOf(request.url ?? '/');
  if (path === undefined) return respond(response, 400, 'text/plain', 'bad address');
  const named = path === '' && project ? withProject(request.url ?? '/') : undefined;
  if (named !== undefined) {
    response.writeHead(302, { ...HEADERS, Location: named, 'Cache-Control': 'no-cache' });
    response.end();
    return;
  }
  if (path === 'project/index.json' && project) {
    return respond(
      response,
      200,
      TYPES['.json']!,
      JSON.stringify({ scene: project.scene, files: project.files, frames: project.run?.frames }),
    );
  }
  const wanted = path.startsWith('project/') ? path.slice('project/'.length) : undefined;
  let file: string | undefined;
  if (wanted === undefined) file = await insideOf(site, path === '' ? 'index.html' : path);
  // Of the project only what was opened, not all that lies beside it.
  else if (project?.run && isOfRun(project.run, wanted)) file = await insideOf(project.run.folder, wanted);
  else if (project) file = await fileOfProject(project, wanted);
  if (file === undefined) return respond(response, 404, 'text/plain', 'not found');
  const body = await readFile(file);
  respond(response, 200, TYPES[extname(file)] ?? 'application/octet-stream', body);
}

/** The address that opens the project, for one that names nothing to open. */
function withProject(url: string): string | undefined {
  const { searchParams } = new URL(url, 'http://127.0.0.1');
  if (searchParams.has('project') || searchParams.has('example')) return undefined;
  return `/?project${[...searchParams].map(([key, value]) => `&${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('')}`;
}

function isOfRun({ frames }: NonNullable<Project['run']>, path: string): boolean {
  if (path === 'scene.json' || path === 'run.json') return true;
  return path.startsWith('frames/') && frames.includes(path.slice('frames/'.length));
}

async function fileOfProject(project: Project, wanted: string): Promise<string | undefined> {
  // Browsers take "." and ".." out of addresses.
  const name = [project.scene, ...project.files].find((known) => posix.normalize(known) === wanted);
  return name === undefined ? undefined : insideOf(project.folder, project.copies?.get(name) ?? name);
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  onReport: (report: string) => void,
): Promise<void> {
  const parts: Buffer[] = [];
  let size = Number(request.headers['content-length'] ?? 0);
  if (!(size <= LARGEST_REPORT)) return respond(response, 413, 'text/plain', 'too long');
  size = 0;
  const isWhole = await new Promise<boolean>((resolve, reject) => {
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size > LARGEST_REPORT) resolve(false);
      else parts.push(part);
    });
    request.on('end', () => resolve(true));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the page went away')));
  });
  if (!isWhole) return respond(response, 413, 'text/plain', 'too long');
  respond(response, 200, 'text/plain', 'thanks');
  onReport(Buffer.concat(parts).toString());
}

/** Names that resolve to this machine, and pages of other origins, are turned away. */
function isOwn({ headers }: IncomingMessage): boolean {
  const host = headers.host ?? '';
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return headers.origin === undefined || headers.origin === `http://${host}`;
}

function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(url, 'http://127.0.0.1').pathname).slice(1);
    return /[\0\\]/.test(path) || path.split('/').includes('..') ? undefined : path;
  } catch {
    return undefined;
  }
}

/** A file inside a folder, also after all links; undefined when there is none. */
async function insideOf(folder: string, path: string): Promise<string | undefined> {
  try {
    const real = await realpath(join(folder, path));
    if (!real.startsWith((await realpath(folder)) + sep)) return undefined;
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

function respond(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  if (response.headersSent) return;
  const { req: request } = response;
  // The rest of a body that nobody reads is not taken off the wire either: the connection ends with the answer.
  const isUnread = hasBody(request) && !request.complete;
  if (isUnread) request.pause();
  response.writeHead(status, {
    ...HEADERS,
    'Content-Type': type,
    // Pages tell how far a large file is by its length.
    'Content-Length': typeof body === 'string' ? Buffer.byteLength(body) : body.length,
    'Cache-Control': 'no-cache',
    ...(isUnread && { Connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
