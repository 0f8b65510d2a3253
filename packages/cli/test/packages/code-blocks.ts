import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.js';

export interface CodeBlock {
  readonly language: string;
  /** The file that the line before names, as `name`: */
  readonly file: string | undefined;
  readonly text: string;
}

/** The code of a Markdown file, in order. */
export function codeBlocks(path: string): CodeBlock[] {
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  return [...text.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, file, language, code]) => ({
    language: language!,
    file,
    text: code!,
  }));
}

/**
 * Does what a README says in a folder of its own, below one where packages are installed: saves blocks that follow a file's name under it, and runs the
 * commands but those that are to be left out. Answers what each printed.
 */
export function follow(folder: string, readme: string, skip = /^npm |--video/): Record<string, string> {
  const own = join(folder, 'own', readme.replaceAll('/', '-'));
  mkdirSync(own, { recursive: true });
  const printed: Record<string, string> = {};
  const env = { ...process.env, NO_COLOR: '1', NO_UPDATE_NOTIFIER: '1' };
  for (const { language, file, text } of codeBlocks(join(root, readme))) {
    if (file) writeFileSync(join(own, file), text);
    else if (language === 'js' && !/phyxel\/browser/.test(text)) {
      writeFileSync(join(own, 'program.mjs'), text);
      printed[text] = execFileSync(process.execPath, ['program.mjs'], { cwd: own, encoding: 'utf8', env });
    } else if (language === 'sh') {
      for (const line of text.split('\n')) {
        if (line.trim() === '' || skip.test(line)) continue;
        printed[line] = execFileSync('sh', ['-c', line], { cwd: own, encoding: 'utf8', env });
      }
    }
  }
  return printed;
}
