/** Made by `build.ts`. */
declare module "virtual:english" {
  const messages: import("@lingui/core").Messages;
  export default messages;
}
