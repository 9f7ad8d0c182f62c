"""Games live in browsers: a process of its own that serves pages, fed with the lines of records as they are written.

It is another process so that nothing about pages (drawing, slow browsers, an error in the server) takes time from the
loop that measures the clocks of bots. The referee sends it messages over a pipe and never waits for it.
"""
