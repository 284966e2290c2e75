import { describe, expect, it } from 'vitest';
import { cliMessages } from './messages.ts';
import { languages } from './languages.ts';

/** What a person types or looks up: commands, options, their values, variables and addresses. */
const LITERAL = /furoshiki(?: (?:info|server))?|--[a-z-]+|<[a-z]+>|FUROSHIKI_\w+|https:\S+/gu;
const literals = (text: string) => [...text.matchAll(LITERAL)].map(String).toSorted();
const textsOf = (group: object): [string, string][] => Object.entries(group);

describe.each(languages)('%s', (language) => {
  const texts = cliMessages[language];

  it('keeps commands, options, variables and addresses', () => {
    for (const [name, group] of Object.entries(cliMessages.en)) {
      const translated = new Map(textsOf(texts[name as keyof typeof texts]));
      for (const [key, text] of textsOf(group))
        expect(literals(translated.get(key) ?? ''), `${name}.${key}`).toEqual(literals(text));
    }
  });

  it('has single lines', () => {
    for (const [name, group] of Object.entries(texts))
      for (const [key, text] of textsOf(group)) expect(text, `${name}.${key}`).not.toMatch(/\p{Cc}/u);
  });

  it('asks for the letter that means yes', () => {
    const { yes, ...others } = texts.delete;
    expect(yes).toMatch(/^[a-z]$/u);
    const questions = textsOf(others).filter(([key]) => key.startsWith('confirm_'));
    expect(questions).not.toEqual([]);
    for (const [key, question] of questions) expect(question.endsWith(`[${yes}/N] `), key).toBe(true);
  });

  it('leaves a gap between a prompt and what is typed', () => {
    expect(texts.key.prompt).toMatch(/(?:: |：)$/u);
  });
});
