/**
 * The sentences of the client's errors that users see, so that they are translated like the store's own. Others, and the
 * server's, are shown as they are.
 */
import { msg } from "../i18n/marking";

export const CLIENT_SENTENCES: readonly string[] = [
  msg("It is not remembered any more."),
  msg("No one is signed in."),
  msg("The connection is closed."),
  msg("The image is larger than 5 MB."),
  msg("The server cannot be reached."),
  msg("The server did not accept the credentials."),
  msg("The server sent something that is not a frame."),
  msg("The server's answer cannot be read."),
  msg("This copy was made by a newer version of Adiuva. Restore it with that one, or bring this one up to date."),
  msg("This file is no copy of Adiuva’s data, or not all of one."),
  msg("This file is no copy of Adiuva’s data."),
];
