/** Tasks in columns, of states or of projects. A card is dragged, or moved with the keys: Space, arrows, Space. */
import {
  type Announcements,
  type CollisionDetection,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  MouseSensor,
  pointerWithin,
  rectIntersection,
  TouchSensor,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { memo, useState } from "react";
import { Link } from "wouter";
import { numberShown } from "../i18n/formats";
import { t } from "../i18n/translate";
import { dueShown, isPast } from "../parts/dates";
import { LongList } from "../parts/LongList";
import { Scroller } from "../parts/Scroller";
import type { TaskActions } from "./useTaskActions";
import type { Task } from "./view";

export interface Column {
  readonly id: string;
  readonly name: string;
  readonly tasks: readonly Task[];
  /** What a task becomes in it. */
  readonly updates: Partial<Task>;
}

const CARD_PX = 76;
const GAP_PX = 8;
/** A press that moves less opens the card. */
const PRESS = { distance: 6 };
/** A touch that is shorter scrolls. */
const TOUCH = { delay: 220, tolerance: 8 };
const KEYS = { start: ["Space"], cancel: ["Escape"], end: ["Space", "Enter"] };

export function TaskBoard({
  columns,
  actions,
  query,
}: {
  columns: readonly Column[];
  actions: TaskActions;
  query: string;
}) {
  const [dragged, setDragged] = useState<Task | null>(null);
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: PRESS }),
    useSensor(TouchSensor, { activationConstraint: TOUCH }),
    useSensor(KeyboardSensor, { keyboardCodes: KEYS, coordinateGetter: besides }),
  );
  const nameOf = (id: unknown) => columns.find((column) => column.id === id)?.name ?? "";
  const drop = ({ active, over }: DragEndEvent) => {
    setDragged(null);
    const from = columns.find(({ tasks }) => tasks.some(({ id }) => id === active.id));
    const to = columns.find(({ id }) => id === over?.id);
    const task = from?.tasks.find(({ id }) => id === active.id);
    if (task !== undefined && to !== undefined && to !== from) {
      actions.change([task], to.updates);
    }
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={underPointer}
      accessibility={{
        announcements: announcementsOf(nameOf),
        screenReaderInstructions: {
          draggable: t("Space picks a task up, the arrows choose a column, Space puts it down."),
        },
      }}
      onDragStart={({ active }) => setDragged((active.data.current as { task: Task }).task)}
      onDragCancel={() => setDragged(null)}
      onDragEnd={drop}
    >
      <div className="board">
        {columns.map((column) => (
          <ColumnShown key={column.id} column={column} query={query} />
        ))}
      </div>
      <DragOverlay dropAnimation={null}>
        {dragged !== null && (
          <div className="board-card lifted">
            <span className="open">{dragged.title}</span>
            <Facts task={dragged} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
}

/** The pointer decides; the keys have none. */
const underPointer: CollisionDetection = (given) =>
  given.pointerCoordinates === null ? rectIntersection(given) : pointerWithin(given);

/** Left and right lead to the column beside. */
const besides: KeyboardCoordinateGetter = (event, { context, currentCoordinates }) => {
  const by = event.code === "ArrowRight" ? 1 : event.code === "ArrowLeft" ? -1 : 0;
  if (by === 0) {
    return undefined;
  }
  event.preventDefault();
  const rects = [...context.droppableRects.values()].sort((one, other) => one.left - other.left);
  const middle = (context.collisionRect?.left ?? currentCoordinates.x) + (context.collisionRect?.width ?? 0) / 2;
  const at = rects.findIndex(({ left, right }) => middle >= left && middle <= right);
  const next = rects[at + by];
  return next === undefined ? undefined : { x: next.left + GAP_PX, y: next.top + GAP_PX };
};

function announcementsOf(nameOf: (id: unknown) => string): Announcements {
  return {
    onDragStart: () => t("Picked up."),
    onDragOver: ({ over }) => (over === null ? undefined : t("Over {name}.", { name: nameOf(over.id) })),
    onDragEnd: ({ over }) => (over === null ? undefined : t("Moved to {name}.", { name: nameOf(over.id) })),
    onDragCancel: () => t("Left where it was."),
  };
}

function ColumnShown({ column: { id, name, tasks }, query }: { column: Column; query: string }) {
  const { setNodeRef, isOver } = useDroppable({ id });
  return (
    <section ref={setNodeRef} className={isOver ? "board-column over" : "board-column"} aria-label={name}>
      <h2>
        {name} <span className="count">{numberShown(tasks.length)}</span>
      </h2>
      <Scroller>
        {(ref) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section className="board-cards" ref={ref} tabIndex={0} aria-label={t("Tasks: {name}", { name })}>
            <LongList label={name} items={tasks} heightOf={() => CARD_PX} gapPx={GAP_PX}>
              {(task) => <Card task={task} query={query} />}
            </LongList>
          </section>
        )}
      </Scroller>
    </section>
  );
}

const Card = memo(function Card({ task, query }: { task: Task; query: string }) {
  const { id, title } = task;
  const { setNodeRef, setActivatorNodeRef, listeners, attributes, isDragging } = useDraggable({ id, data: { task } });
  return (
    <div ref={setNodeRef} className={isDragging ? "board-card dragged" : "board-card"} {...listeners}>
      <Link className="open" href={`/tasks/${id}${query}`} draggable={false}>
        {title}
      </Link>
      <Facts task={task} />
      <button
        type="button"
        ref={setActivatorNodeRef}
        className="grip"
        aria-label={t("Move: {title}", { title })}
        aria-describedby={attributes["aria-describedby"]}
      >
        ⠿
      </button>
    </div>
  );
});

function Facts({ task: { dueDate, status, priority } }: { task: Task }) {
  return (
    <span className="facts">
      {priority === "high" && <span className="pill high">{t("high")}</span>}
      {dueDate !== null && (
        <span className={status !== "done" && isPast(dueDate) ? "pill overdue" : "pill"}>{dueShown(dueDate)}</span>
      )}
    </span>
  );
}
