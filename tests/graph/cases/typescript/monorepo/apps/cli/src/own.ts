export function own() {}
