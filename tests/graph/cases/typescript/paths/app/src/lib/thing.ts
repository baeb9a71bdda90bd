export function thing() {}
