import { useEffect, useState } from "react";

/** Whether `is` has been true for `ms`: what is over sooner is not worth mentioning. */
export function useLasting(is: boolean, ms: number): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    if (!is) {
      setLasting(false);
      return undefined;
    }
    const timer = setTimeout(() => setLasting(true), ms);
    return () => clearTimeout(timer);
  }, [is, ms]);
  return is && isLasting;
}
