# First: it sets how many threads numpy takes when that is imported, as in the server.
import adiuva  # noqa: F401
