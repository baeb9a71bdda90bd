export function one() {}
const starred = () => one(); // -> call one
export class Thing { go() {} }
export { starred };
