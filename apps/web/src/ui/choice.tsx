// One of a few, side by side.
import { Label, Radio, RadioGroup } from 'react-aria-components';
import styles from './choice.module.css';

interface ChoiceProps<Value extends string | number> {
  label: string;
  /** Undefined where none of them is chosen. */
  value: Value | undefined;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

export function Choice<Value extends string | number>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <RadioGroup
      className={styles.group ?? ''}
      value={value === undefined ? null : String(value)}
      onChange={(text) => {
        const chosen = options.find((option) => String(option.value) === text);
        if (chosen) onChange(chosen.value);
      }}
      orientation="horizontal"
    >
      <Label className={styles.label ?? ''}>{label}</Label>
      <div className={styles.options}>
        {options.map((option) => (
          <Radio key={option.value} value={String(option.value)} className={styles.option ?? ''}>
            {option.label}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
