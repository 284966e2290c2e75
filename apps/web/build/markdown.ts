// Compiles the Markdown files in content/ to data, as a Vite plugin: each becomes a module that exports its text.
// Unsupported Markdown fails the build.
import { DOWNLOAD_LIMIT, RETENTION_DAYS, STATED_TOTAL_GB } from '@furoshiki/api';
import { MAX_FILES_PER_PAGE } from '@furoshiki/format';
import { Marked, type Token, type Tokens } from 'marked';
import type { Plugin } from 'vite';
import type { Content, ContentElement, ContentNode, ContentTag } from '../src/screens/content/content.ts';

/** Without strikethrough, because Korean texts write ranges of numbers with tildes. */
const markdown = new Marked({ tokenizer: { del: () => undefined } });
const FRONT_MATTER = /^---\n(?<properties>.*?)\n---\n(?<text>.*)$/su;
const KEYS = ['title', 'description', 'keywords'] as const;

/** Replaces `{{name}}` by `values`, so that the numbers in a text are the same as in the code. */
export function compileMarkdown(source: string, values: Readonly<Record<string, string>>): Content {
  const filled = source.replaceAll(/\{\{(\w+)\}\}/gu, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`no value is called ${name}`);
    return String(values[name]);
  });
  const { properties = '', text = '' } = FRONT_MATTER.exec(filled)?.groups ?? {};
  const lines = properties.split('\n').map((line) => line.split(/:\s*(.*)/su));
  const [title, description, keywords] = KEYS.map((key) => {
    const value = lines.find(([name]) => name === key)?.[1]?.trim();
    if (!value) throw new Error(`the front matter has no ${key}`);
    return value;
  }) as [string, string, string];
  let headings = 0;
  const body = blocks(markdown.lexer(text), () => `section-${(headings += 1)}`);
  if (body.length === 0) throw new Error('there is no text');
  return { title, description, keywords, body };
}

type NextId = () => string;

const element = (tag: ContentTag, children: ContentNode[], more?: Pick<ContentElement, 'id' | 'to'>) => ({
  tag,
  children,
  ...more,
});

function blocks(tokens: readonly Token[], nextId: NextId): ContentNode[] {
  return tokens.flatMap((token) => block(token, nextId));
}

function block(token: Token, nextId: NextId): ContentNode[] {
  switch (token.type) {
    case 'space':
      return [];
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      if (depth !== 2 && depth !== 3)
        throw new Error(`a heading of depth ${depth}: the title is h1, below it are 2 and 3`);
      return [element(`h${depth}`, inline(tokens), { id: nextId() })];
    }
    case 'paragraph': {
      const children = inline((token as Tokens.Paragraph).tokens);
      const [only] = children;
      const isDrawing = typeof only === 'object' && only.tag === 'drawing';
      return isDrawing && children.length === 1 ? [only] : [element('p', children)];
    }
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens) : [text];
    }
    case 'list': {
      const { ordered, items } = token as Tokens.List;
      return [
        element(
          ordered ? 'ol' : 'ul',
          items.map((item) => element('li', blocks(item.tokens, nextId))),
        ),
      ];
    }
    case 'blockquote':
      return [element('blockquote', blocks((token as Tokens.Blockquote).tokens, nextId))];
    case 'table':
      return [table(token as Tokens.Table)];
    default:
      throw new Error(`unsupported Markdown: ${token.type}`);
  }
}

function table({ header, rows }: Tokens.Table): ContentElement {
  const row = (tag: 'th' | 'td', cells: Tokens.TableCell[]) =>
    element(
      'tr',
      cells.map((cell) => element(tag, inline(cell.tokens))),
    );
  return element('table', [
    element('thead', [row('th', header)]),
    element(
      'tbody',
      rows.map((cells) => row('td', cells)),
    ),
  ]);
}

/** Markdown needs a space after bold text that ends with a full stop; Chinese and Japanese texts have none there. */
const IDEOGRAPHIC_STOP = /[。！？]\**$/u;
/** Chinese and Japanese put a space between a number and its unit. The line must not break there. */
const SPACE_BEFORE_COUNTER = /(?<=\d) (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

function inline(tokens: readonly Token[]): ContentNode[] {
  return tokens.map((token, index): ContentNode => {
    switch (token.type) {
      case 'text':
      case 'escape': {
        const text = unescaped((token as Tokens.Text).text).replaceAll(SPACE_BEFORE_COUNTER, '\u00a0');
        return IDEOGRAPHIC_STOP.test(tokens[index - 1]?.raw ?? '') ? text.trimStart() : text;
      }
      case 'strong':
      case 'em':
        return element(token.type, inline((token as Tokens.Strong).tokens));
      case 'codespan':
        return element('code', [unescaped((token as Tokens.Codespan).text)]);
      case 'link': {
        const { href, tokens: inner } = token as Tokens.Link;
        return element('link', inline(inner), { to: href });
      }
      case 'image': {
        const { href, text } = token as Tokens.Image;
        const [, tag, name] = /^(drawing|live):([\w-]+)$/u.exec(href) ?? [];
        if (tag === undefined || name === undefined) throw new Error(`${href} is neither drawing:… nor live:…`);
        return element(tag as 'drawing' | 'live', [text], { to: name });
      }
      default:
        throw new Error(`unsupported Markdown: ${token.type}`);
    }
  });
}

/** The lexer may return HTML entities, but the content is not HTML. */
function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The limits of the product, by the names that the texts use. */
const LIMITS = {
  totalGb: STATED_TOTAL_GB,
  maxFiles: MAX_FILES_PER_PAGE,
  maxDays: Math.max(...RETENTION_DAYS),
  minDownloads: DOWNLOAD_LIMIT.min,
  maxDownloads: DOWNLOAD_LIMIT.max,
  defaultDownloads: DOWNLOAD_LIMIT.default,
};

/** Formats the limits in a language: a thousand is 1,000 or 1.000. */
export function limitsIn(language: string): Record<string, string> {
  const number = new Intl.NumberFormat(language);
  return Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, number.format(limit)]));
}

export function contentPlugin(): Plugin {
  return {
    name: 'furoshiki-content',
    transform(source, id) {
      const language = /\/content\/([\w-]+)\/[\w-]+\.md$/u.exec(id)?.[1];
      if (language === undefined) return undefined;
      return {
        code: `export default ${JSON.stringify(compileMarkdown(source, limitsIn(language)))};`,
        map: null,
        moduleType: 'js',
      };
    },
  };
}
