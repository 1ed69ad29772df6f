"""Numbers that give access to money or doors: cards, IBANs, PINs and codes of locks."""
