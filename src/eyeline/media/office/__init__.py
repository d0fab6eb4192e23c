"""Office documents: readers of OOXML, OpenDocument and RTF that run in the bounded child."""
