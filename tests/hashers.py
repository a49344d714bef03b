"""The hasher of the test session."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class CheapArgon2(Argon2PasswordHasher):
    """Argon2 at minimal cost: with Django's parameters, a password takes 100 MiB and 50 ms of CPU, for 1,400 users."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1
