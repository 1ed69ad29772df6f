"""The session format of Claude Code: head, order of lines, messages in several lines, who spoke. May import the same as pi's."""
