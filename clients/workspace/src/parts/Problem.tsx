/** An error message, read out at once by screen readers; nothing if it is empty. */
export function Problem({ error, before = "" }: { error: string; before?: string }) {
  return error === "" ? null : (
    <p className="alert" role="alert">
      {before}
      {error}
    </p>
  );
}
