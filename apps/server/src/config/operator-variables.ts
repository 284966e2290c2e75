// Who runs the instance, for its legal pages.
import * as kinds from './variable-kinds.ts';

export const operatorVariables = {
  OPERATOR_NAME: {
    ...kinds.line('a name', 200),
    about:
      'Who runs this instance, a person or a company: for the privacy policy and the terms. The law of most countries wants it. Unset: the pages say that it is not stated.',
  },
  OPERATOR_ADDRESS: {
    ...kinds.lines('a postal address', 500),
    about: 'Postal address of the operator, for the same pages. `\\n` begins a new line.',
  },
  OPERATOR_CONTACT: {
    ...kinds.emailOrUrl,
    about:
      'Where the operator receives privacy and legal requests: an email address or a URL, for the same pages. Unset: `CONTACT_EMAIL` or else the contact page.',
  },
  OPERATOR_REPRESENTATIVE: {
    ...kinds.line('a name', 200),
    about:
      'Person in charge of privacy, with department or title: the representative in Japan, the privacy officer in Korea, the data protection officer in the EU (if there is one) and in Brazil. For the same pages.',
  },
  OPERATOR_REGISTER_NUMBER: {
    ...kinds.line('a number', 200),
    about: 'Company register and number, VAT id or the like, if the law wants one. For the same pages.',
  },
  OPERATOR_PROCESSORS: {
    ...kinds.lines('a list', 2000),
    about:
      'Companies that process data for the operator (hosting, storage, mail), each with its task and country. `\\n` begins a new line. For the same pages.',
  },
  TERMS_DATE: {
    ...kinds.day,
    about:
      'Since when the terms and the privacy policy in their present form apply on this instance. Set it again whenever an upgrade changes them.',
  },
} satisfies Record<string, kinds.Variable>;
