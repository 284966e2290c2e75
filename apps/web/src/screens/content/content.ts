// A page of text, as the build makes it of Markdown: data, so that no parser is shipped and no text ever becomes markup.

export type ContentNode = string | ContentElement;

export interface ContentElement {
  tag: ContentTag;
  children: ContentNode[];
  /** Of a heading: the same in every language, for links into the page. */
  id?: string;
  /** Of a link: an address elsewhere, or a place of ours such as `faq`. Of a drawing or a live text: its name. */
  to?: string;
}

export const CONTENT_TAGS = [
  'h2',
  'h3',
  'p',
  'ul',
  'ol',
  'li',
  'strong',
  'em',
  'code',
  'blockquote',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  // Not of HTML: a link that knows our language prefix, a drawing by its name, and a text that this instance decides.
  'link',
  'drawing',
  'live',
] as const;
export type ContentTag = (typeof CONTENT_TAGS)[number];

export interface Content {
  title: string;
  description: string;
  keywords: string;
  body: ContentNode[];
}

export function textOf(nodes: readonly ContentNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
}

export interface Question {
  question: string;
  answer: string;
}

/** Every heading with the text below it, for what search engines are told of a list of questions. */
export function questionsOf({ body }: Content): Question[] {
  const questions: Question[] = [];
  for (const node of body) {
    if (typeof node === 'string') continue;
    const last = questions.at(-1);
    if (node.tag === 'h3') questions.push({ question: textOf(node.children), answer: '' });
    else if (last && node.tag !== 'h2') last.answer = `${last.answer} ${textOf([node])}`.trim();
  }
  return questions;
}
