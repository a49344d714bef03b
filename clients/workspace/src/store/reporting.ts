/** Says how far long work is: seldom enough for pages to draw it, and nothing of short work. */
import type { StoreEvent, Work } from "../rpc/messages";

/** How many steps are made between two reports. */
const STEP = 250;

export type Report = (done: number, total: number) => void;

/** Runs `act`; every page hears what it reports, and the end, also of an error. */
export async function reported<T>(
  tell: (event: StoreEvent) => void,
  work: Work,
  act: (report: Report) => Promise<T>,
): Promise<T> {
  let all = 0;
  try {
    return await act((done, total) => {
      if (total > STEP && done < total && done % STEP === 0) {
        all = total;
        tell({ type: "progress", work, done, total });
      }
    });
  } finally {
    if (all > 0) {
      tell({ type: "progress", work, done: all, total: all });
    }
  }
}
