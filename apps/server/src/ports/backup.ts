// What a backup needs of the embedded database and of the disk, and what a restore checks.

/** A completed file in a copy of the database. */
export interface CopiedFile {
  id: string;
  fileKey: string;
  /** How many bytes the object store must have of it. */
  storedSize: number;
}

/** A copy of the database as it was at one moment, without what cannot be restored. It belongs to this process alone. */
export interface DatabaseCopy {
  /** Undefined in a database of an old version, whose store has no owner. */
  readonly databaseId: string | undefined;
  /** The names of the migrations that the database has had. */
  readonly schema: string[];
  /** How many uploads were under way. They are not in the copy. */
  readonly openUploads: number;
  /** Files in the order of their keys, after this one. */
  listFiles(afterKey: string, limit: number): CopiedFile[];
  /** Removes a file without bytes from the copy. Returns why it has none: `lost` if the database still lists it. */
  leaveOut(id: string): 'deleted' | 'lost';
  /** Returns the path of the finished copy: one file, without free pages. */
  finish(): string;
  close(): void;
}

/** A file of the object store, of which an object may have several. */
export interface StoredFile {
  /** Below the folder of the store, with slashes. */
  path: string;
  size: number;
  /** May be called once. */
  read(): AsyncIterable<Uint8Array>;
}

export interface ObjectFiles {
  /** Returns the files of a completed object; they stay readable if it is deleted. */
  open(key: string, storedSize: number): Promise<OpenedObject | 'gone' | 'damaged'>;
  /** Returns undefined if no object has a file with this path. */
  keyOf(path: string): string | undefined;
  /** Whether the object is complete and has this size. */
  isWhole(key: string, storedSize: number): Promise<boolean>;
}

export interface OpenedObject {
  files: StoredFile[];
  close(): Promise<void>;
}

/** A database that was restored and is not in use yet. */
export interface RestoredDatabase {
  readonly databaseId: string | undefined;
  readonly fileCount: number;
  listFiles(afterKey: string, limit: number): CopiedFile[];
  /** What is wrong with its pages. Empty if nothing is. */
  findDamage(): string[];
  close(): void;
}

/** SQLite and the disk. */
export interface EmbeddedStores {
  objectFiles: ObjectFiles;
  /** Uses this folder for its files. Throws a StartError if the database cannot be copied. */
  copyDatabase(folder: string): Promise<DatabaseCopy>;
  /** Throws if it is no database of ours. */
  openRestored(path: string): RestoredDatabase;
  /** Whether this version can use a database with these migrations, or bring it up to date. */
  knowsSchema(schema: string[]): boolean;
}
