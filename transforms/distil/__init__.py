"""The contract between an engine and the lake: prompts, answers, grounding checks and budgets. May import conversation, language, tables."""
