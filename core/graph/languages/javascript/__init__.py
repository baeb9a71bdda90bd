"""JavaScript and TypeScript: ``language`` and ``typescript`` read one text, ``config`` the files that name packages."""
