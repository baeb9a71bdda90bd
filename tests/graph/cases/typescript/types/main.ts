import type { Remote } from "./remote";
import { Local as Renamed, type Shape, Kind } from "./remote";
import Outside, { Client } from "outside";

class Repo {
  find(): Item { return new Item(); } // -> constructor Item
  async all(): Promise<Item[]> { return []; }
}
class Item { save(): this { return this; } name = "x"; }
type Alias = Repo;
type Handler = (item: Item) => Repo;
type Box = { repo: Repo; nested: { item?: Item }; run(): Item };

class Service<T extends Repo> {
  private cache: Map<string, Item> = new Map(); // -> constructor <builtin>Map
  items: Item[] = [];
  declare late: Repo | undefined;
  constructor(private readonly repo: Repo, protected client: Client, other?: T) {
    other.find(); // -> call Repo.find
  }
  run(handler: Handler, box: Box, remote: Remote, kind: Kind) {
    this.repo.find().save().save(); // -> call Repo.find, call Item.save
    this.client.send(); // -> call <external>outside.Client.send
    this.cache.get("x")!.save(); // -> call <builtin>Map.get, call Item.save
    this.items[0].save(); // -> call Item.save
    this.late?.find(); // -> call Repo.find
    handler(this.items[0]).find(); // -> call Repo.find
    box.repo.find(); // -> call Repo.find
    box.nested.item!.save(); // -> call Item.save
    box.run().save(); // -> call Box.run, call Item.save
    remote.call(); // -> call types/remote.ts::Remote.call
    for (const [key, value] of this.cache) value.save(); // -> call Item.save
    for (const item of this.items) item.save(); // -> call Item.save
    this.items.map((i) => i.save()); // -> call <builtin>Array.map, call Item.save
    each((i) => i.save()); // -> call each, call Item.save
    this.repo.all().then((found) => found[0].save()); // -> call Repo.all, call <builtin>Promise.then, call Item.save
    this.items.find((i) => i.name)?.save(); // -> call <builtin>Array.find, call Item.save
  }
}
async function use(a: Alias, b: any, c: ReturnType<typeof make>, ...rest: Item[]) {
  a.find(); // -> call Repo.find
  b.find(); // -> nothing
  (b as Repo).find(); // -> call Repo.find
  (<Repo>b).find(); // -> call Repo.find
  c.find(); // -> call Repo.find
  rest[0].save(); // -> call Item.save
  (await a.all())[0].save(); // -> call Repo.all, call Item.save
  const item: Shape = make2(); // -> call make2
  item.area(); // -> call types/remote.ts::Shape.area, override types/remote.ts::Local.area
  new Renamed().area(); // -> constructor types/remote.ts::Local, call types/remote.ts::Local.area
  new Outside().go(); // -> constructor <external>outside, call <external>outside.go
}
function make() { return new Repo(); } // -> constructor Repo
function each(f: (item: Item, index: number) => void) {}
declare function make2(): any;
function over(x: string): Item;
function over(x: number): Item;
function over(x: any) { return new Item(); } // -> constructor Item
over(1).save(); // -> call over, call Item.save
let dirs: import("./remote").Remote[];
dirs[0].call(); // -> call types/remote.ts::Remote.call
