async function save(): Promise<void> {}

export function forget(): void {
  save();
}
