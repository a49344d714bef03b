"""Backups of the whole database in one file, and restoring them.

A backup is an ordinary tar file: ``database.dump``, which ``pg_restore`` reads; ``manifest.json``, which says what is
in it; ``SHA256SUMS`` of both, as ``sha256sum`` writes it. It never contains a master key.
"""
