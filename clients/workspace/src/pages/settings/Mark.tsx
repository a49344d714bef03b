/** A checkbox with a name and a description. */
export function Mark({
  name,
  hint,
  isMarked,
  onMark,
}: {
  name: string;
  hint: string;
  isMarked: boolean;
  onMark: (isMarked: boolean) => void;
}) {
  return (
    <label className="choice">
      <input type="checkbox" checked={isMarked} onChange={(event) => onMark(event.target.checked)} />
      <span>
        {name}
        {hint !== "" && <span className="hint">{hint}</span>}
      </span>
    </label>
  );
}
