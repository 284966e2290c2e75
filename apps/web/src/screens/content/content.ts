// The data of a content page. The build makes it from Markdown, so that no parser is shipped and no text is ever parsed
// as HTML in the browser.

export type ContentNode = string | ContentElement;

export interface ContentElement {
  tag: ContentTag;
  children: ContentNode[];
  /** Only for headings. The same in every language, for links into the page. */
  id?: string;
  /** For a link: a URL, or one of our pages such as `faq`. For a drawing or a live text: its name. */
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
  // Not HTML tags: a link that adds our language prefix, a drawing by its name, and a text that depends on the instance.
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

/** Returns every heading with the text below it, for the structured data that search engines read. */
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
