export const based = () => {};
