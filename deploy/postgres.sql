-- Run once, when the database is created. The server's role owns its database and is not a superuser.
\set password `cat /run/secrets/database_password`
CREATE ROLE adiuva LOGIN PASSWORD :'password';
CREATE DATABASE adiuva OWNER adiuva;
\connect adiuva
CREATE EXTENSION vector;
