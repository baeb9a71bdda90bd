export interface Remote { call(): void }
export interface Shape { area(): number }
export class Local implements Shape { area() { return 1; } }
export enum Kind { A, B }
