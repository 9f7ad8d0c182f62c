"""Games on the machines of a Dask cluster: an Executor (`executor`) and what it runs there (`machine`)."""
