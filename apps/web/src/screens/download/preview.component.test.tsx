// A file that is opened in place: what is shown, what is counted, and how it is closed.
import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { createFakeServices, type FakeServices } from '../../../testing/fake-services.ts';
import { openReceivedPage, renderApp } from '../../../testing/render-app.tsx';
import { button, click, fileOf, press, sendFiles } from '../../../testing/user.ts';

const dialog = page.getByRole('dialog');
const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true });
const counts = ({ server }: FakeServices) => [...server.files.values()].map((file) => file.page.currentDownloads);

async function pictureOf(name: string, width: number, height: number): Promise<File> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.fillStyle = 'rgb(200, 30, 60)';
  context.fillRect(0, 0, width, height);
  return fileOf(name, new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer()));
}

/** The colour in the middle of the picture that is shown. */
function middlePixel(): number[] {
  const canvas = dialog.getByRole('img').element() as HTMLCanvasElement;
  const [x, y] = [Math.floor(canvas.width / 2), Math.floor(canvas.height / 2)];
  return [...(canvas.getContext('2d')?.getImageData(x, y, 1, 1).data ?? [])];
}

test('a text is opened in place, counted once, and saved without being counted again', async () => {
  const fake = await openReceivedPage([fileOf('note.txt', 'quarterly figures')], { limit: 1 });
  await expect.element(page.getByText('Opening a file counts as its download.')).toBeVisible();
  expect(counts(fake)).toEqual([0]);
  await press('Open note.txt');
  await expect.element(dialog.getByText('quarterly figures')).toBeVisible();
  await expect.element(dialog.getByText('This counted as the download.')).toBeVisible();
  expect(counts(fake)).toEqual([1]);
  expect(fake.disks.size).toBe(0);
  await expectAccessible('everywhere');
  await click(inDialog('Save'));
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(button('Saved')).toBeVisible();
  const [disk] = fake.disks.values();
  expect(new TextDecoder().decode(new Uint8Array(disk?.bytes ?? []))).toBe('quarterly figures');
  // It was the only download, so a second grant would have been refused.
  await expect.poll(() => fake.server.files.size).toBe(0);
  await expect.element(button('Open note.txt')).not.toBeInTheDocument();
});

test('a picture is drawn, whatever its name says, and a large one is made smaller', async () => {
  await openReceivedPage([await pictureOf('not a picture.txt', 6000, 30)]);
  await press('Open not a picture.txt');
  await expect.element(dialog.getByRole('img', { name: 'not a picture.txt' })).toBeVisible();
  const canvas = dialog.getByRole('img').element() as HTMLCanvasElement;
  expect([canvas.width, canvas.height]).toEqual([4096, 20]);
  expect(middlePixel()).toEqual([200, 30, 60, 255]);
  await expectAccessible();
});

test('a page, a drawing and a script are shown as text and nothing of them runs', async () => {
  const hostile = [
    '<script>window.hasRun = true</script><img src="https://evil.example/a" onerror="window.hasRun = true">',
    '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hasRun = true"><script>window.hasRun = true</script></svg>',
  ] as const;
  await openReceivedPage([fileOf('photo.jpg', hostile[0]), fileOf('drawing.svg', hostile[1])]);
  for (const [index, name] of ['photo.jpg', 'drawing.svg'].entries()) {
    await press(`Open ${name}`);
    await expect.element(dialog.getByText(hostile[index] ?? '')).toBeVisible();
    expect(dialog.element().querySelectorAll('img, script, iframe, object, embed, form, a')).toHaveLength(0);
    await click(inDialog('Close'));
    await expect.element(dialog).not.toBeInTheDocument();
  }
  expect('hasRun' in globalThis).toBe(false);
});

test('what is neither is not shown, but can be saved', async () => {
  const fake = await openReceivedPage([fileOf('photo.jpg', Uint8Array.of(0, 1, 2, 3))], { hasShareSheet: true });
  await press('Open photo.jpg');
  await expect.element(dialog.getByText('This file can’t be shown here. Save it instead.')).toBeVisible();
  await expect.element(inDialog('Share')).not.toBeInTheDocument();
  await expectAccessible();
  await click(inDialog('Save'));
  await expect.element(button('Saved')).toBeVisible();
  expect(counts(fake)).toEqual([1]);
});

describe('a video or a sound', () => {
  /** A tenth of a second of silence. */
  const wav = () => {
    const header = [0x46464952, 836, 0x45564157, 0x20746d66, 16, 0x00010001, 8000, 8000, 0x00080001, 0x61746164, 800];
    return new Blob([Uint32Array.from(header), new Uint8Array(800).fill(128)], { type: 'audio/wav' });
  };
  const openSound = async (content: Blob) => {
    const ended: string[] = [];
    const address = URL.createObjectURL(content);
    await openReceivedPage([fileOf('song.wav')], {
      played: { kind: 'sound', address, end: () => ended.push(address) },
    });
    await press('Open song.wav');
    return { ended, address };
  };
  const audio = () => dialog.element().querySelector('audio');

  test('plays in place, and ends when it is closed', async () => {
    const { ended, address } = await openSound(wav());
    await expect.poll(() => audio()?.duration).toBe(0.1);
    await expect.element(dialog.getByText('This counted as the download.')).toBeVisible();
    expect(audio()?.controls).toBe(true);
    await expectAccessible('everywhere');
    const player = audio();
    await page.viewport(320, 568);
    const rightOf = (element: Element | null | undefined) => element?.getBoundingClientRect().right;
    expect(rightOf(player)).toBeLessThan(rightOf(dialog.element()) ?? 0);
    await page.viewport(1280, 900);
    await click(inDialog('Close'));
    await expect.element(dialog).not.toBeInTheDocument();
    expect([ended, player?.getAttribute('src')]).toEqual([[address], null]);
  });

  test('can be saved if this browser cannot play it', async () => {
    await openSound(new Blob(['no sound']));
    await expect.element(dialog.getByText('This file can’t be shown here. Save it instead.')).toBeVisible();
    expect(audio()).toBeNull();
    await click(inDialog('Save'));
    await expect.element(button('Saved')).toBeVisible();
  });
});

test('a long text is shown in parts', async () => {
  const line = `${'x'.repeat(99)}\n`;
  await openReceivedPage([fileOf('long.txt', line.repeat(4000))]);
  await press('Open long.txt');
  const text = dialog.getByRole('region', { name: 'long.txt' });
  await expect.element(text).toBeVisible();
  const shownLines = () => (text.element().textContent?.match(/x\n/gu) ?? []).length;
  expect(shownLines()).toBe(655);
  await expectAccessible();
  await click(dialog.getByRole('button', { name: /^Show more/u }));
  await expect.poll(shownLines).toBe(655 + 2621);
  await click(dialog.getByRole('button', { name: /^Show more/u }));
  await expect.poll(shownLines).toBe(4000);
  await expect.element(dialog.getByRole('button', { name: /^Show more/u })).not.toBeInTheDocument();
});

describe('several pictures', () => {
  const names = ['a.png', 'b.png', 'c.png'];
  const openGallery = async () => {
    const pictures = await Promise.all(names.map((name, index) => pictureOf(name, 10 + index, 10)));
    const fake = await openReceivedPage([fileOf('note.txt'), ...pictures]);
    const shown = async (name: string) => {
      await expect.element(dialog.getByRole('img', { name })).toBeVisible();
    };
    const countOf = (name: string) =>
      [...fake.server.files.values()].find((file) => file.page.fileName === name)?.page.currentDownloads;
    return { shown, spent: () => ['note.txt', ...names].map(countOf) };
  };

  test('are gone through by buttons and keys, and each counts when it is opened, not before', async () => {
    const { shown, spent } = await openGallery();
    await press('Open b.png');
    await shown('b.png');
    await expect.element(dialog.getByText('Picture 2 of 3')).toBeVisible();
    await expect.element(dialog.getByText('counts as a download of its own file')).toBeVisible();
    expect(spent()).toEqual([0, 0, 1, 0]);
    await expectAccessible();
    await click(inDialog('Next'));
    await shown('c.png');
    expect(spent()).toEqual([0, 0, 1, 1]);
    // After the last one comes the first. The text is not among them.
    await userEvent.keyboard('{ArrowRight}');
    await shown('a.png');
    expect(spent()).toEqual([0, 1, 1, 1]);
    await userEvent.keyboard('{ArrowLeft}');
    await shown('c.png');
    await click(inDialog('Previous'));
    await shown('b.png');
    expect(spent()).toEqual([0, 1, 1, 1]);
    // One step back closes it, however many were seen.
    history.back();
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(button('Open b.png')).toBeVisible();
  });

  test('are gone through by a swipe, and not by scrolling, a mouse or a second finger', async () => {
    const { shown, spent } = await openGallery();
    await press('Open a.png');
    await shown('a.png');
    const swipe = (x: number, y: number, facts: PointerEventInit = {}) => {
      const picture = dialog.getByRole('img').element();
      const event = { bubbles: true, pointerType: 'touch', isPrimary: true, ...facts };
      picture.dispatchEvent(new PointerEvent('pointerdown', { ...event, clientX: 200, clientY: 200 }));
      picture.dispatchEvent(new PointerEvent('pointerup', { ...event, clientX: 200 + x, clientY: 200 + y }));
    };
    swipe(-20, 0);
    swipe(-60, 60);
    swipe(-60, 0, { pointerType: 'mouse' });
    swipe(-60, 0, { isPrimary: false });
    await expect.element(dialog.getByText('Picture 1 of 3')).toBeVisible();
    expect(spent()).toEqual([0, 1, 0, 0]);
    swipe(-60, 5);
    await shown('b.png');
    swipe(60, 5);
    await shown('a.png');
    expect(spent()).toEqual([0, 1, 1, 0]);
  });

  test('one picture and a text have no such buttons', async () => {
    await openReceivedPage([await pictureOf('a.png', 8, 8), fileOf('b.txt')]);
    for (const name of ['a.png', 'b.txt']) {
      await press(`Open ${name}`);
      await expect.element(dialog.getByText('This counted as the download.')).toBeVisible();
      await expect.element(inDialog('Next')).not.toBeInTheDocument();
      await click(inDialog('Close'));
      await expect.element(dialog).not.toBeInTheDocument();
    }
  });
});

describe('it is closed', () => {
  const ways = {
    'by its button': () => click(inDialog('Close')),
    'by Escape': () => userEvent.keyboard('{Escape}'),
    'by the Back button': async () => history.back(),
  };

  test.each(Object.entries(ways))('%s, stays on the page, and gives the focus back', async (_, close) => {
    const fake = await openReceivedPage([fileOf('a.txt'), fileOf('b.txt')]);
    const address = location.href;
    const entry = navigation.currentEntry?.index;
    // Twice: what the first time leaves behind must not close the second.
    for (const name of ['a.txt', 'b.txt']) {
      await press(`Open ${name}`);
      await expect.element(dialog.getByText('hello')).toBeVisible();
      await close();
      await expect.element(dialog).not.toBeInTheDocument();
      await expect.element(button(`Open ${name}`)).toHaveFocus();
    }
    await expect.poll(() => [location.href, navigation.currentEntry?.index]).toEqual([address, entry]);
    expect(counts(fake)).toEqual([1, 1]);
  });

  test('while it arrives, nothing more is received, and the download can be taken later', async () => {
    const fake = await openReceivedPage([fileOf('a.txt')], { limit: 1 });
    fake.bytes.hold();
    await press('Open a.txt');
    await expect.poll(() => fake.bytes.held.length).toBe(1);
    await expect.poll(fake.awakeCount).toBe(1);
    await expect.element(inDialog('Save')).toBeDisabled();
    await expectAccessible();
    await click(inDialog('Close'));
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.poll(fake.awakeCount).toBe(0);
    fake.bytes.release();
    await press('Open a.txt');
    await expect.element(dialog.getByText('hello')).toBeVisible();
    expect(counts(fake)).toEqual([1]);
  });

  test('and the memory of its picture is free', async () => {
    await openReceivedPage([await pictureOf('a.png', 8, 8)]);
    await press('Open a.png');
    await expect.element(dialog.getByRole('img')).toBeVisible();
    const canvas = dialog.getByRole('img').element() as HTMLCanvasElement;
    await click(inDialog('Close'));
    await expect.element(dialog).not.toBeInTheDocument();
    expect(canvas.width).toBe(0);
  });
});

test('the share dialog of the system gets the file with the type of its content', async () => {
  const fake = await openReceivedPage([await pictureOf('photo.jpg', 8, 8), fileOf('page.html', '<p>hello</p>')], {
    hasShareSheet: true,
  });
  for (const name of ['photo.jpg', 'page.html']) {
    await press(`Open ${name}`);
    await click(inDialog('Share'));
    await click(inDialog('Close'));
    await expect.element(dialog).not.toBeInTheDocument();
  }
  expect(fake.shared).toEqual(['photo.jpg image/png', 'page.html text/plain']);
});

test('all buttons of a row are within it on a phone, in the languages with the longest words', async () => {
  const fake = createFakeServices();
  const { path, keyText } = await sendFiles(fake, [fileOf('a.txt')]);
  for (const language of ['de', 'fr', 'pt']) {
    await renderApp(path.replace('/en/', `/${language}/`), fake, keyText);
    const row = page.getByRole('listitem').filter({ hasText: 'a.txt' });
    await expect.poll(() => row.getByRole('button').all().length).toBe(3);
    for (const width of [320, 360, 390]) {
      await page.viewport(width, 844);
      // What sticks out of a row is cut off, so the page is not wider.
      const { right } = row.element().getBoundingClientRect();
      for (const each of row.getByRole('button').all())
        expect(each.element().getBoundingClientRect().right, `${language}, ${width} px`).toBeLessThanOrEqual(right);
    }
  }
  await page.viewport(1280, 900);
});

test('a file that does not open with the key says so, and none of it is shown', async () => {
  const fake = await openReceivedPage([fileOf('a.txt')]);
  for (const { sealed } of fake.server.files.values()) sealed[sealed.length - 1]! ^= 1;
  await press('Open a.txt');
  await expect.element(dialog.getByRole('alert').getByText('Decryption failed')).toBeVisible();
  await expect.element(dialog.getByText('hello')).not.toBeInTheDocument();
  await expectAccessible();
});

test('nothing can be opened that is too large, of another kind, used up, or still locked', async () => {
  const fake = createFakeServices();
  const archive = new File(['hello'], 'b.zip', { type: 'application/zip' });
  const { path, keyText } = await sendFiles(fake, [fileOf('a.txt'), archive, fileOf('c.txt')]);
  const used = [...fake.server.files.values()].find((file) => file.page.fileName === 'c.txt');
  if (used) used.page.currentDownloads = used.page.maxDownloads;
  await renderApp(path, fake);
  await expect.element(button('Download a.txt')).toBeVisible();
  await expect.element(page.getByRole('button', { name: /^Open/u })).not.toBeInTheDocument();
  await expect.element(page.getByText('Opening a file counts as its download.')).not.toBeInTheDocument();
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(keyText);
  await expect.element(button('Open a.txt')).toBeVisible();
  expect(page.getByRole('button', { name: /^Open/u }).all()).toHaveLength(1);
});
