"""Ages observations: supersession and proposals.

May import exchanges, distil, model_answers, conversation, redaction, briefing, quoting, pages, classify, language, tables,
calendars.
"""
