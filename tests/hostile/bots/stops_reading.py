"""Never reads its standard input after `hello`, while questions pile up in the pipe."""

from prelude import ready, wait_forever

ready()
wait_forever()
