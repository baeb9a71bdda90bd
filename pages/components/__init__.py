"""What several pages share: palette, selection, charts, tables, code, downloads. No SQL, no maths of the method."""
