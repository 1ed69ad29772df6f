"""The offline engine: extracts cited facts from a window without a model. May import distil, conversation, language, tables."""
