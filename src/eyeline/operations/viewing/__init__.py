"""What `view` is made of: how items arrive, are read under one budget, prepared, fitted and told of."""
