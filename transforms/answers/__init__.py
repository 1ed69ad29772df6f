"""Words answers: excerpts of hits with what they answer, lines for agents, and a model's sentences, checked.

May import memory, recall, distil, changes, exchanges, model_answers, conversation, quoting, habits, pages,
language, tables.
"""
