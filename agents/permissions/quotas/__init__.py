"""How much of the assistant a user may have in a day, and how much of it is used."""
