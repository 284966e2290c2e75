// A button that opens the browser's dialog for choosing files, or a folder.
import { type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';

interface FileButtonProps {
  kind?: 'main' | 'plain';
  isFolder?: boolean;
  onFiles: (files: FileList | null) => void;
  children: ReactNode;
}

export function FileButton({ kind = 'plain', isFolder = false, onFiles, children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  function choose(): void {
    if (!input.current) return;
    // Otherwise choosing the same files again would not be a change.
    input.current.value = '';
    input.current.click();
  }
  return (
    <>
      <Button kind={kind} onPress={choose}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={!isFolder}
        // A spread, because the types of React do not know this attribute.
        {...(isFolder ? { webkitdirectory: '' } : {})}
        onChange={(event) => onFiles(event.target.files)}
      />
    </>
  );
}
