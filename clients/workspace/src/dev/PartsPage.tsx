/** Every part in every state, for developers: `/app/parts` of the development server. Its texts are English alone. */
import type { ReactNode } from "react";
import { Block } from "../blocks/Block";
import { ChatEntry } from "../chat/ChatEntry";
import { Composer } from "../chat/Composer";
import { Message } from "../chat/Message";
import { begun } from "../chat/parts";
import { QuestionCard } from "../chat/QuestionCard";
import { chooseTheme } from "../parts/appearance";
import { ConfirmButton } from "../parts/ConfirmButton";
import { EntityMark } from "../parts/EntityMark";
import { Field } from "../parts/Field";
import { ICONS, Icon } from "../parts/Icon";
import { Problem } from "../parts/Problem";
import { ANSWERS, CARDS, CHARTS, CHATS, STATUSES, TABLE, TIMELINE } from "./samples";

const nothing = async () => undefined;

export default function PartsPage() {
  return (
    <main className="page scrolls" id="main">
      <header className="header">
        <h1>Every part in every state</h1>
        {(["light", "dark", "system"] as const).map((theme) => (
          <button key={theme} type="button" className="button" onClick={() => chooseTheme(theme)}>
            {theme}
          </button>
        ))}
      </header>
      <Group name="Buttons">
        <Buttons />
      </Group>
      <Group name="Kinds, states and priorities">
        <Pills />
      </Group>
      <Group name="Fields and problems">
        <Fields />
      </Group>
      <Group name="Cards of rows">
        {CARDS.map((data) => (
          <Block key={data.entity} blockType="entity_ref" data={data} />
        ))}
      </Group>
      <Group name="Charts">
        {CHARTS.map((data) => (
          <Block key={data.title} blockType="chart" data={data} />
        ))}
      </Group>
      <Group name="Table and timeline">
        <Block blockType="table" data={TABLE} />
        <Block blockType="timeline" data={TIMELINE} />
        <Block blockType="table" data={{ broken: true }} />
      </Group>
      <Group name="Messages">
        <ol className="thread">
          {ANSWERS.map((message) => (
            <Message key={message.id} message={message} onAskAgain={() => undefined} onEdit={async () => undefined} />
          ))}
          {STATUSES.map((status) => (
            <Message key={status.state} message={{ ...begun("r", "s"), status }} />
          ))}
        </ol>
      </Group>
      <Group name="Questions">
        {QUESTIONS.map((requests) => (
          <QuestionCard
            key={requests.length + (requests[0]?.id ?? "")}
            card={{ id: requests[0]?.id ?? "", requests }}
            hasBrokenOff={false}
          />
        ))}
      </Group>
      <Group name="Chats">
        <section className="chats" aria-label="Chats">
          <ol>
            {CHATS.map((chat, index) => (
              <ChatEntry
                key={chat.id}
                chat={chat}
                isOpen={index === 0}
                onOpen={() => undefined}
                onDeleted={() => undefined}
              />
            ))}
          </ol>
        </section>
      </Group>
      <Group name="The text field">
        <Composer draft="parts" onSend={nothing} onStop={() => undefined} isStreaming={false} />
        <Composer draft="parts.streaming" onSend={nothing} onStop={() => undefined} isStreaming />
      </Group>
    </main>
  );
}

const REQUEST = { request_id: "r", action: "delete_task", expires_at: 0, summary: "Delete the task “Buy milk”." };
const QUESTIONS = [
  [
    {
      ...REQUEST,
      id: "one",
      risk: "destructive",
      preview: { before: { title: "Buy milk", status: "todo" }, after: null },
    },
  ],
  [
    { ...REQUEST, id: "two", risk: "write", summary: "Mark “Water the roses” as done." },
    { ...REQUEST, id: "three", risk: "write", summary: "Move “Call Anna” to tomorrow." },
  ],
] as unknown as readonly Parameters<typeof QuestionCard>[0]["card"]["requests"][];

function Group({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="section stack" aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

function Buttons() {
  return (
    <>
      {(["", "primary", "danger", "quiet", "small"] as const).map((kind) => (
        <p key={kind} className="row">
          <button type="button" className={`button ${kind}`}>
            {kind || "usual"}
          </button>
          <button type="button" className={`button ${kind}`} disabled>
            disabled
          </button>
        </p>
      ))}
      <ConfirmButton name="Delete" question="Delete it?" yes="Yes, delete it" act={nothing} isDangerous />
      <p className="row">
        {ICONS.map((icon) => (
          <span key={icon} title={icon} className="muted">
            <Icon name={icon} />
          </span>
        ))}
      </p>
    </>
  );
}

function Pills() {
  return (
    <>
      <p className="row">
        {(["task", "project", "note", "checkpoint", "person"] as const).map((entity) => (
          <span key={entity} className="row">
            <EntityMark entity={entity} /> {entity}
          </span>
        ))}
      </p>
      <p className="row">
        <span className="pill project">Garden</span>
        <span className="pill person">Anna</span>
        <span className="pill date">24 Dec</span>
        <span className="pill date overdue">21 Nov</span>
        <span className="pill state todo">to do</span>
        <span className="pill state in_progress">in progress</span>
        <span className="pill state done">done</span>
        <span className="pill high">high</span>
        <span className="pill medium">medium</span>
        <span className="pill low">low</span>
      </p>
    </>
  );
}

function Fields() {
  return (
    <>
      <Field name="A text">
        <input className="input" defaultValue="Buy milk" />
      </Field>
      <Field name="A choice">
        <select className="input">
          <option>Open</option>
        </select>
      </Field>
      <Field name="A longer text">
        <textarea className="input" rows={2} defaultValue="Two lines" />
      </Field>
      <Problem error="It could not be saved. Try again." />
    </>
  );
}
