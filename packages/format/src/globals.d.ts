// The only globals that this package uses: pure functions that every browser, worker and Node has.
// Declared here because it compiles without the DOM and without Node's types.
declare function atob(base64: string): string;
declare function btoa(binary: string): string;
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes: ArrayBuffer | Uint8Array): string;
}
