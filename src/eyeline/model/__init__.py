"""Values: frozen, without clock, disk or network. Standard library only."""
