declare module 'gltf-validator' {
  interface Report {
    readonly issues: {
      readonly numErrors: number;
      readonly messages: readonly { readonly code: string; readonly severity: number }[];
    };
    readonly info: Readonly<Record<string, unknown>>;
  }
  const validator: { validateBytes(bytes: Uint8Array): Promise<Report> };
  export default validator;
}
