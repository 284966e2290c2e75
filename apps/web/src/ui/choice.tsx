// One of a few, side by side.
import { Label, Radio, RadioGroup } from 'react-aria-components';
import styles from './choice.module.css';

interface ChoiceProps {
  label: string;
  value: number;
  options: readonly { value: number; label: string }[];
  onChange: (value: number) => void;
  isDisabled?: boolean;
}

export function Choice({ label, value, options, onChange, isDisabled = false }: ChoiceProps) {
  return (
    <RadioGroup
      className={styles.group ?? ''}
      value={String(value)}
      onChange={(text) => onChange(Number(text))}
      orientation="horizontal"
      isDisabled={isDisabled}
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
