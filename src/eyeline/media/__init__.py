"""Engines over codec libraries, the sniffing table, and the bounded child in which untrusted bytes are decoded."""
