"""The session format of pi: header, versions, fields of an entry, tree, HTML export. May import conversation and tables."""
