// A QR code made of half blocks, so that its modules are square in a terminal.
import { generate } from 'lean-qr';

/** Scanners need an empty frame around the code. */
const FRAME = 2;
const BLOCKS = [' ', '▄', '▀', '█'] as const;

/** Light on dark, as most terminals are: scanners read both. */
export function drawQr(text: string): string {
  const code = generate(text);
  const isLight = (x: number, y: number) => !code.get(x, y);
  const lines: string[] = [];
  for (let y = -FRAME; y < code.size + FRAME; y += 2) {
    let line = '';
    for (let x = -FRAME; x < code.size + FRAME; x += 1)
      line += BLOCKS[(isLight(x, y) ? 2 : 0) + (isLight(x, y + 1) ? 1 : 0)] ?? ' ';
    lines.push(line);
  }
  return lines.join('\n');
}
