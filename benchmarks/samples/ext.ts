// Commands for the driver: navigate the tree to an entry that contains a text, and label the current entry.
const said = (entry: any): string => {
  const content = entry.message?.content;
  return typeof content === "string" ? content : (content ?? []).map((part: any) => part.text ?? "").join("");
};
export default function (pi: any) {
  pi.registerCommand("nav", {
    description: "go back to the entry that contains a text, with a branch summary",
    handler: async (text: string, ctx: any) => {
      const target = ctx.sessionManager.getBranch().find((entry: any) => said(entry).includes(text));
      await ctx.navigateTree(target.id, { summarize: true });
    },
  });
  pi.registerCommand("lab", {
    description: "label the current entry",
    handler: async (text: string, ctx: any) => {
      const branch = ctx.sessionManager.getBranch();
      pi.setLabel(branch[branch.length - 1].id, text);
    },
  });
  pi.registerCommand("inject", {
    description: "put a message of an extension into the session",
    handler: async (text: string, _ctx: any) => {
      pi.sendMessage({ customType: "recollect-briefing", content: text.replaceAll("\\n", "\n"), display: false }, { triggerTurn: false });
    },
  });
}
