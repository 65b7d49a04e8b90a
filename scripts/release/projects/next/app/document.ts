export type Head = { readonly head: { readonly height: string } };

export const headDocument = 'query @live { head { height } }';
