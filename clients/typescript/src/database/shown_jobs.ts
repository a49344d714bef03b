/** The jobs whose end was shown, stored for good: an id contains no user text. */
import { eq } from "drizzle-orm";
import type { Database } from "./database.js";
import { jobs } from "./schema.js";

export class ShownJobs {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async has(id: string): Promise<boolean> {
    return await this.#database.snapshot(
      async (orm) => (await orm.select().from(jobs).where(eq(jobs.id, id))).length > 0,
    );
  }

  async add(id: string): Promise<void> {
    await this.#database.transaction(async (orm) => await orm.insert(jobs).values({ id }).onConflictDoNothing());
  }
}
