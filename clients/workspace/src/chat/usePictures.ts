/** Pictures that go along with the next question: the server has them before it is asked. */
import { IMAGE_LIMITS } from "@adiuva/client";
import { useEffect, useRef, useState } from "react";
import { t } from "../i18n/translate";
import { useSnapshot, useStore } from "../rpc/RpcProvider";

export interface ChosenPicture {
  readonly number: number;
  readonly file: File;
  /** The server's id, once it has it. */
  readonly id: string | null;
}

export interface ChosenPictures {
  readonly chosen: readonly ChosenPicture[];
  /** Why the last one does not go along; empty if all do. */
  readonly problem: string;
  readonly isBusy: boolean;
  add(files: readonly File[]): void;
  remove(number: number): void;
  /** Those that are chosen. Afterwards none is. */
  take(): readonly ChosenPicture[];
  /** Chooses again what was taken. */
  restore(taken: readonly ChosenPicture[]): void;
}

export function usePictures(): ChosenPictures {
  const store = useStore();
  const { connection, models } = useSnapshot();
  const [chosen, setChosen] = useState<readonly ChosenPicture[]>([]);
  const [problem, setProblem] = useState("");
  /** Chosen while the connection is being made, which tells whether the model sees pictures. */
  const [early, setEarly] = useState<readonly File[]>([]);
  const isConnecting = connection.at === "idle" || connection.at === "connecting";
  const count = useRef(0);
  const refusal = () =>
    connection.at !== "online"
      ? t("A picture needs a connection: it is given to the server first.")
      : models.find((model) => model.default)?.images !== true
        ? t("The model that answers here sees no pictures.")
        : "";
  const remove = (number: number) => setChosen((before) => before.filter((each) => each.number !== number));
  const upload = async (file: File) => {
    count.current += 1;
    const number = count.current;
    setChosen((before) => [...before, { number, file, id: null }]);
    try {
      const id = await store.upload(file);
      setChosen((before) => before.map((each) => (each.number === number ? { ...each, id } : each)));
    } catch (error) {
      remove(number);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const add = (files: readonly File[]) => {
    if (isConnecting) {
      setEarly((before) => [...before, ...files]);
      return;
    }
    const why = refusal();
    const room = IMAGE_LIMITS.images - chosen.length;
    setProblem(
      why !== "" || files.length <= room
        ? why
        : t("At most {count} pictures go along with a question.", { count: IMAGE_LIMITS.images }),
    );
    for (const file of why === "" ? files.slice(0, room) : []) {
      void upload(file);
    }
  };
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    if (!isConnecting && early.length > 0) {
      setEarly([]);
      latest.current(early);
    }
  }, [isConnecting, early]);
  const take = () => {
    setChosen([]);
    setProblem("");
    return chosen;
  };
  const restore = (taken: readonly ChosenPicture[]) => setChosen((before) => [...taken, ...before]);
  const isBusy = early.length > 0 || chosen.some(({ id }) => id === null);
  return { chosen, problem, isBusy, add, remove, take, restore };
}
