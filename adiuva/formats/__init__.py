"""How the admin writes times, by language; Django finds the modules by their names."""
