export function js() {}
