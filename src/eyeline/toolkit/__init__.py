"""Small parts that know nothing of media, records or surfaces."""
