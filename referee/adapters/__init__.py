"""Games and programs of other worlds. Each needs an extra, and is imported only when it is asked for."""
