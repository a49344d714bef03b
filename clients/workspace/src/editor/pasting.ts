/** Formatted text from elsewhere as Markdown, without the page's DOM: nothing in it runs or is fetched. */

export async function pastedMarkdown(html: string): Promise<string> {
  const { toMarkdown } = await import("./html_markdown");
  return toMarkdown(html);
}
