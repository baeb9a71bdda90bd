export { deep } from "./deep";
export class Core { start() {} }
