"""What tests of Eyeline, and of what is built on it, start from. Nothing in the product imports it."""
