/** The list of conversations where there is no room for it beside the chat. */
import { useState } from "react";
import { t } from "../i18n/translate";
import { Dialog } from "../parts/Dialog";
import { ChatList, type HomeChat } from "./ChatList";

export function EarlierChats({ home }: { home: HomeChat }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t("Earlier chats")}
      </button>
      {isOpen && (
        <Dialog title={t("Earlier chats")} onClose={close}>
          <ChatList home={home} onOpened={close} />
          <div className="actions">
            <button type="button" className="button" onClick={close}>
              {t("Close")}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
