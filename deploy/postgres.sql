-- Run once, when the database is made. The server's role owns its database and is no superuser.
\set password `cat /run/secrets/database_password`
CREATE ROLE adiuva LOGIN PASSWORD :'password';
CREATE DATABASE adiuva OWNER adiuva;
\connect adiuva
CREATE EXTENSION vector;
