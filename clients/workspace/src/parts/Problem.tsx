/** What went wrong with what one wanted, read out at once; nothing while nothing has. */
export function Problem({ error, before = "" }: { error: string; before?: string }) {
  return error === "" ? null : (
    <p className="alert" role="alert">
      {before}
      {error}
    </p>
  );
}
