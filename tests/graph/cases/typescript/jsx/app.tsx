import React, { memo } from "react";
import { Panel } from "./panel";
import * as parts from "./panel";

export const Button = memo(({ onClick }: { onClick: () => void }) => <button onClick={onClick} />); // -> call <external>react.memo
function click() {}
class Old extends React.Component { render() { return <Button onClick={click} />; } } // -> call Button, possible call click, call <external>react.memo
export default function App() {
  const local = () => click(); // -> call click
  return (
    <Panel title="x" {...{}}>
      <parts.Panel // -> call jsx/panel.tsx::Panel
        key={local}
      />
      <Old />
    </Panel>
  );
}
