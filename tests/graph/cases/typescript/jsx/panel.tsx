export const Panel = <T,>({ children }: { children: T }) => <div>{children}</div>;
