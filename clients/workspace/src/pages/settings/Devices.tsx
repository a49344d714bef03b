/** The devices of the account. */

import { useEffect, useState } from "react";
import { t } from "../../i18n/translate";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { type Device, deviceShown } from "../../parts/devices";
import { isoShown } from "../../parts/words";
import { useStore } from "../../rpc/RpcProvider";
import { Answered } from "./Answered";
import { ask } from "./rest";
import { useReconnected, useRestList } from "./useRest";

export function Devices() {
  const store = useStore();
  const devices = useRestList<Device>("/api/v1/devices");
  const here = useDeviceId();
  useReconnected(devices.again);
  const remove = async (device: Device) => {
    await ask(store, "DELETE", `/api/v1/devices/${device.id}`);
    devices.change((known) => known.filter(({ id }) => id !== device.id));
  };
  return (
    <section className="section">
      <h2>{t("Devices")}</h2>
      <Answered rest={devices}>
        {(known) =>
          known.length === 0 ? (
            <p className="muted">{t("No device has connected yet.")}</p>
          ) : (
            <ul className="settings-list">
              {known
                .toSorted((one, other) => Number(other.device_id === here) - Number(one.device_id === here))
                .map((device) => (
                  <li key={device.id} className="with-action">
                    <About device={device} isHere={device.device_id === here} />
                    {here !== undefined && device.device_id !== here && (
                      <ConfirmButton
                        isSmall
                        name={t("Sign out")}
                        label={t("Sign out {device}", { device: deviceShown(device) })}
                        question={t("Sign it out? It keeps its data, and cannot connect until you sign in there.")}
                        yes={t("Yes, sign it out")}
                        no={t("No")}
                        act={() => remove(device)}
                      />
                    )}
                  </li>
                ))}
            </ul>
          )
        }
      </Answered>
    </section>
  );
}

function About({ device, isHere }: { device: Device; isHere: boolean }) {
  return (
    <div className="entry">
      <p className="row">
        <strong>{deviceShown(device)}</strong>
        {isHere && <span className="pill">{t("This browser")}</span>}
        {device.online && <span className="pill good">{t("Online")}</span>}
      </p>
      <p className="small muted">
        {device.online
          ? t("Connected now, first seen {first}", { first: isoShown(device.first_seen) })
          : t("Last seen {last}, first seen {first}", {
              last: isoShown(device.last_seen),
              first: isoShown(device.first_seen),
            })}
      </p>
    </div>
  );
}

/** This browser's id at the server; undefined until it is known. */
function useDeviceId(): string | undefined {
  const store = useStore();
  const [id, setId] = useState<string>();
  useEffect(() => {
    store.deviceId().then(setId, () => undefined);
  }, [store]);
  return id;
}
