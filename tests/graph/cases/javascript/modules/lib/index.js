export default function () {}
export function two() {}
export { one, Thing as Again } from "./deep.js";
export * from "./deep";
export * as deep from "./deep";
