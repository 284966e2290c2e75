// Checks that the settings do not contradict each other, and that no variable of the environment is misspelt.
import { findSettingProblems } from '../../../config/check-settings.ts';
import { type Check, failed, ok, warning } from '../finding.ts';

export const settings: Check = {
  name: 'settings',
  async run({ config, misspelt }) {
    const problems = (await findSettingProblems(config)).map(({ problem }) => problem);
    const texts = [...problems, ...misspelt].join('; ');
    if (problems.length > 0) return failed(texts, 'correct them: docs/OPERATING.md describes every setting');
    if (misspelt.length > 0) return warning(texts, 'correct or remove them: the server ignores them');
    return ok('none contradicts another');
  },
};
