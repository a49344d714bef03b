/** The sentences of errors that are translated where they reach a page. */
import { msg } from "./msg";

/** Of the client's own errors. */
export const CLIENT_TEXTS: readonly string[] = [
  msg("The server cannot be reached."),
  msg("The server did not accept the credentials."),
  msg("The connection is closed."),
  msg("The connection was lost, and the server does not come back."),
  msg("The connection to the server broke off."),
  msg("A frame was larger than the server takes."),
  msg("The server is restarting."),
  msg("The server closed the connection: this device sent frames it cannot read."),
  msg("The server closed the connection: sign in again."),
  msg("The server closed the connection: access was revoked."),
  msg("The server closed the connection: it heard nothing from this device."),
  msg("The same device connected from elsewhere: another window or program uses this data."),
  msg("The server closed the connection: this device read too slowly."),
  msg("This file is no copy of Adiuva’s data."),
  msg("This file is no copy of Adiuva’s data, or not all of one."),
  msg("This copy was made by a newer version of Adiuva. Restore it with that one, or bring this one up to date."),
  msg("It is not remembered any more."),
  msg("No one is signed in."),
  msg("The image is larger than 5 MB."),
  msg("The server sent something that is not a frame."),
  msg("The server's answer cannot be read."),
];

/** The code of the server's refusal whose sentence has a number of seconds. */
export const TOO_MANY = "rate_limited";

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
/** From which wait on a unit is used, the seconds in it, and what is said. */
const WAITS = [
  [
    1.5 * HOUR_S,
    HOUR_S,
    msg(
      "{count, plural, one {There were too many attempts: try again in # hour.} other {There were too many attempts: try again in # hours.}}",
    ),
  ],
  [
    1.5 * MINUTE_S,
    MINUTE_S,
    msg(
      "{count, plural, one {There were too many attempts: try again in # minute.} other {There were too many attempts: try again in # minutes.}}",
    ),
  ],
  [
    0,
    1,
    msg(
      "{count, plural, one {There were too many attempts: try again in # second.} other {There were too many attempts: try again in # seconds.}}",
    ),
  ],
] as const;

/** What is said instead of that sentence, with its values. */
export function tooManySaid(sentence: string): { message: string; values: Readonly<Record<string, number>> } {
  const seconds = Number(/\d+/.exec(sentence)?.[0]);
  const [, unit = 1, message = msg("There were too many attempts: try again later.")] =
    WAITS.find(([from]) => seconds >= from) ?? [];
  return { message, values: { count: Math.ceil(seconds / unit) } };
}

/** What the server says, in English, of an account and of how its user signs in. */
export const SERVER_TEXTS: readonly string[] = [
  msg("The address or the password is wrong."),
  msg("The passkey is not accepted, or it took too long: try again."),
  msg("An account with this address exists already."),
  msg("Enter a valid email address."),
  msg("This field may not be blank."),
  msg("The password is too similar to the email address."),
  msg("This password is too short. It must contain at least 10 characters."),
  msg("This password is too common."),
  msg("This password is entirely numeric."),
  msg("The password is wrong."),
  msg("This code is wrong, or was used already."),
  msg("Confirm this with one of your passkeys, or with your password and a code of your app."),
  msg("This passkey cannot be added: its answer is not valid, took too long, or is known already."),
  msg("This server has no host name, and without one there are no passkeys."),
  msg("There are as many passkeys as there may be: remove one that is not used any more."),
  msg("This passkey is the only way to sign in: set a password or add another passkey first."),
  msg("There are as many personal tokens as there may be: revoke one that is not used any more."),
  msg("This is not one of your factors, or it took too long: start again."),
  msg("You have as many apps as there may be: remove one that you do not use any more."),
  msg("This is your only second factor: add another one first."),
  msg("The server cannot read what is marked, so nothing is shared. Set again what is never to be shared."),
  msg("The server cannot open this row, so it cannot be changed. It can be deleted."),
  msg("The server cannot open the key of this account, so nothing can be read or written."),
  msg("The server cannot reach its database. Try again in a moment."),
];
