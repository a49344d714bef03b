/** The compass needle: gold to the north, light to the south. It sways on the button that asks, unless nothing may move. */
export function Mark() {
  return (
    <svg className="needle" viewBox="0 0 48 48" aria-hidden="true">
      <path d="M24 6l6 18H18z" fill="var(--gold)" />
      <path d="M24 42l6-18H18z" fill="var(--south)" />
      <circle cx="24" cy="24" r="2.4" fill="var(--raised)" />
    </svg>
  );
}
