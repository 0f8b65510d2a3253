/** Two runs into one folder: one of them is refused, whatever became of the other. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { LOCK_FILE, lockFolder } from '../../src/run/lock.js';

const command = fileURLToPath(new URL('../../bin/phyxel.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'phyxel-lock-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});
let count = 0;
const newFolder = () => {
  const path = join(folder, `folder-${count++}`);
  mkdirSync(path);
  return path;
};

const scene = join(folder, 'drop.yaml');
writeFileSync(
  scene,
  `phyxel: 1
duration: 0.1
bodies: [{ name: ball, shape: { sphere: { radius: 0.1 } }, position: [0, 0.5, 0], spacing: 0.05 }]
obstacles: [{ name: floor, shape: { plane: {} } }]
`,
);

function phyxel(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [command, 'run', scene, ...args], { encoding: 'utf8' });
  return { code: status, err: stderr };
}

/** A run that goes on until it is killed, past its first frame. */
async function endless(...args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [command, 'run', scene, '--frames', '100000000', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  for await (const line of createInterface(child.stdout!)) if (JSON.parse(line).frame > 1) break;
  child.stdout!.resume();
  return child;
}

const killed = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.on('close', resolve);
    child.kill('SIGKILL');
  });

describe('a run folder', () => {
  it('has one writer; a killed one is followed, with --resume or --force', async () => {
    const out = join(folder, 'run');
    const first = await endless('--out', out);
    for (const flags of [[], ['--resume'], ['--force']]) {
      const { code, err } = phyxel('--out', out, ...flags);
      expect(code).toBe(2);
      expect(err).toMatch(
        new RegExp(`^\\S*run: process ${first.pid} is writing this run since \\S+Z; wait for it or stop it, or choose`),
      );
    }
    expect(first.exitCode).toBeNull();
    await killed(first);
    expect(existsSync(join(out, LOCK_FILE))).toBe(true);
    expect(phyxel('--out', out, '--frames', '100000000')).toEqual({
      code: 2,
      err: expect.stringMatching(
        /run holds an unfinished run of \d+ frames: --resume goes on with it, --force replaces it, --out names another/,
      ),
    });
    const second = await endless('--out', out, '--resume');
    await killed(second);
    expect(phyxel('--out', out, '--force')).toEqual({ code: 0, err: '' });
    expect(readdirSync(out)).not.toContain(LOCK_FILE);

    const before = readFileSync(join(out, 'run.json'));
    expect(phyxel('--out', out)).toEqual({
      code: 2,
      err: `${out} holds a finished run of 3 frames: --force replaces it, --out names another folder\n`,
    });
    expect(phyxel('--out', out, '--frames', '4').err).toContain('of 3 frames: --resume goes on with it, --force');
    expect(phyxel('--out', out, '--force', '--resume').code).toBe(2);
    expect(readFileSync(join(out, 'run.json'))).toEqual(before);
    rmSync(join(out, 'checkpoint'));
    expect(phyxel('--out', out, '--resume', '--frames', '4').err).toMatch(
      /3 frames and no checkpoint to resume it from: --force instead of --resume replaces it/,
    );
    expect(readFileSync(join(out, 'run.json'))).toEqual(before);
  });

  it('is not left behind by a run that could not begin', () => {
    const broken = join(folder, 'broken.yaml');
    writeFileSync(
      broken,
      readFileSync(scene, 'utf8').replace('spacing: 0.05', 'spacing: 0.05, rotation: [1e400, 0, 0]'),
    );
    const out = join(folder, 'never');
    const { status } = spawnSync(process.execPath, [command, 'run', broken, '--out', out]);
    expect(status).toBe(2);
    expect(existsSync(out)).toBe(false);
  });
});

describe('the lock', () => {
  const lockOf = (path: string) => join(path, LOCK_FILE);
  const write = (path: string, changes: object) => {
    const unlock = lockFolder(path);
    const own = JSON.parse(readFileSync(lockOf(path), 'utf8'));
    unlock();
    writeFileSync(lockOf(path), JSON.stringify({ ...own, ...changes }));
  };

  it('is held once, and free again', () => {
    const path = newFolder();
    const unlock = lockFolder(path);
    expect(JSON.parse(readFileSync(lockOf(path), 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
    expect(() => lockFolder(path)).toThrow(`process ${process.pid} is writing this run`);
    unlock();
    lockFolder(path)();
    expect(readdirSync(path)).toEqual([]);
  });

  it('leaves alone what another has taken since', () => {
    const path = newFolder();
    const unlock = lockFolder(path);
    rmSync(lockOf(path));
    const other = lockFolder(path);
    unlock();
    expect(existsSync(lockOf(path))).toBe(true);
    other();
  });

  it('is stale when its process is gone, or another has its number', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    const changes = [{ pid }, ...(existsSync('/proc') ? [{ started: 'long ago' }] : [])];
    for (const change of changes) {
      const path = newFolder();
      write(path, change);
      lockFolder(path)();
      expect(readdirSync(path)).toEqual([]);
      // Also when who removed it was killed in the middle.
      write(path, { ...change, token: 'a' });
      writeFileSync(`${lockOf(path)}.a`, readFileSync(lockOf(path), 'utf8').replace('"a"', '"b"'));
      lockFolder(path)();
      expect(readdirSync(path)).toEqual([]);
    }
  });

  it('that is stale is removed by one process only', () => {
    const path = newFolder();
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    write(path, { pid, token: 'a' });
    const stale = readFileSync(lockOf(path), 'utf8');
    // Another process has found it and is about to remove it: this one.
    const own = newFolder();
    lockFolder(own);
    writeFileSync(`${lockOf(path)}.a`, readFileSync(lockOf(own)));
    expect(() => lockFolder(path)).toThrow('is writing this run');
    expect(readFileSync(lockOf(path), 'utf8')).toBe(stale);
  });

  it('of another machine or container is not judged, and of no sense neither', () => {
    const path = newFolder();
    write(path, { host: 'elsewhere', pid: 999_999_999 });
    expect(() => lockFolder(path)).toThrow(
      /process 999999999 of the machine elsewhere .* cannot be seen from here; if not, delete \S+run\.lock, or choose/,
    );
    if (existsSync('/proc')) {
      const other = newFolder();
      write(other, { namespace: 'pid:[1]', pid: 999_999_999 });
      expect(() => lockFolder(other)).toThrow('of another container is writing');
    }
    for (const text of ['', '{', 'null', '7', '{"token":"../../x","pid":1,"host":"a","since":"b"}']) {
      writeFileSync(lockOf(path), text);
      expect(() => lockFolder(path)).toThrow(/run\.lock is damaged.*if none does, delete that file/);
      expect(readFileSync(lockOf(path), 'utf8')).toBe(text);
    }
    rmSync(lockOf(path));
    symlinkSync(join(folder, 'nowhere'), lockOf(path));
    expect(() => lockFolder(path)).toThrow('is damaged');
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  it('goes to one of many that find it stale at once', async () => {
    const path = newFolder();
    const journal = join(folder, 'journal');
    const program = `
      import { appendFileSync } from 'node:fs';
      import { lockFolder } from ${JSON.stringify(pathToFileURL(join(command, '../../dist/run/lock.js')).href)};
      process.stdin.once('data', () => {
        for (const end = Date.now() + 400; Date.now() < end; ) {
          try {
            const unlock = lockFolder(${JSON.stringify(path)});
            appendFileSync(${JSON.stringify(journal)}, 'in ' + process.pid + '\\n');
            appendFileSync(${JSON.stringify(journal)}, 'out ' + process.pid + '\\n');
            // One in three dies with it.
            if (Math.random() < 1 / 3) process.kill(process.pid, 'SIGKILL');
            unlock();
          } catch (error) {
            if (!/is writing this run/.test(error.message)) { console.error(error); process.exit(1); }
          }
        }
        process.exit(0);
      });`;
    const runners = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'ignore', 'pipe'] }),
    );
    children.push(...runners);
    let err = '';
    for (const runner of runners) runner.stderr!.on('data', (text) => (err += text));
    const ended = runners.map((runner) => new Promise((resolve) => runner.on('close', resolve)));
    for (const runner of runners) runner.stdin!.write('go\n');
    await Promise.all(ended);
    expect(err).toBe('');
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i]!.replace('in', 'out'));
  });
});
