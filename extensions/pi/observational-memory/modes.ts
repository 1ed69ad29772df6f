/** Modes of work: what an observation of a session is about. `recollect` has the same table (transforms/distil/modes.py). */

/** What the observer looks for in each mode. `auto`: the offline engine tells by the conversation, a model gets no word about it. */
export const MODES: Record<string, string> = {
  auto: "",
  default: "",
  explore: "findings about the code, and gaps: what was looked for and not found",
  plan: "decisions with their reasons, alternatives that were turned down, and open questions",
  bug_fixing: "errors, their root causes, and what cured them",
  refactoring: "interfaces that changed, what depends on them, and what breaks",
  testing: "tests that were added, their results, and what they do not cover",
  debugging: "symptoms, values that were seen, and hypotheses that were ruled out",
  research: "findings, with their sources",
};
