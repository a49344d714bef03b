/** Code with its words in colours, by highlight.js: a chunk of its own. It becomes elements and never HTML. */
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { common, createLowlight } from "lowlight";
import { memo } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";

const LOWLIGHT = createLowlight(common);

export default memo(function Highlighted({ code, language }: { code: string; language: string }) {
  if (!LOWLIGHT.registered(language)) {
    return code;
  }
  return toJsxRuntime(LOWLIGHT.highlight(language, code), { Fragment, jsx, jsxs });
});
