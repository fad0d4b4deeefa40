package io.sluice.coordinator.log;

import io.sluice.common.file.FileRights;
import io.sluice.common.file.UnpackedLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.rocksdb.util.Environment;

/**
 * A log in a RocksDB database ({@link LogFormat}). Each batch is one write, followed by a sync of
 * RocksDB's write-ahead log.
 *
 * <p>A batch whose write was interrupted by a crash was never acknowledged, and is dropped at the
 * next start. With any other damage the coordinator does not start: without its exclusions, it
 * would assign shuffles to excluded servers.
 *
 * <p>After a failed write RocksDB refuses all later writes. The next append reopens the database
 * and deletes any records of the failed write.
 */
public final class RocksMetadataLog implements MetadataLog {
  private static final long WRITE_BUFFER_BYTES = 4 << 20;
  private static final long CACHE_BYTES = 1 << 20;

  /** Maximum size of RocksDB's write-ahead log before its records are written as a table. */
  private static final long MAX_LOG_BYTES = 16 << 20;

  private static final int MAX_OPEN_TABLES = 32;

  /** RocksDB's message files, one per start: a few suffice to analyse a failure. */
  private static final int KEPT_MESSAGE_FILES = 3;

  /** Limits the wait for a call that is blocked on disk I/O, so that the process can exit. */
  private static final long CLOSE_WAIT_MS = 1000;

  private final Path directory;

  /** Every call holds the lock, because {@link #close} frees native memory from another thread. */
  private final ReentrantLock lock = new ReentrantLock();

  private Store store;
  private boolean failed;
  private boolean closed;
  private long lastIndex;
  private long recordBytes;
  private long snapshotBytes;

  private RocksMetadataLog(Path directory) {
    this.directory = directory;
  }

  /**
   * Opens a log; a missing directory is created as an empty log.
   *
   * @throws IOException if the log is in use, damaged, of an unknown version or not writable; the
   *     message is one line with the directory and what to do
   */
  public static RocksMetadataLog open(Path directory) throws IOException {
    RocksMetadataLog log = new RocksMetadataLog(directory);
    log.store = log.openStore(true);
    return log;
  }

  @Override
  public Contents read() throws IOException {
    lock.lock();
    try {
      byte[] entry = store.db.get(LogFormat.snapshotKey());
      LogFormat.Snapshot snapshot =
          entry == null ? new LogFormat.Snapshot(0, 0) : LogFormat.decodeSnapshot(entry);
      List<byte[]> state = new ArrayList<>();
      visit(
          LogFormat.snapshotPrefix(),
          (key, value) -> {
            LogFormat.checkSnapshotRecordKey(key, state.size());
            state.add(value);
          });
      if (state.size() != snapshot.count()) {
        throw new IOException(
            "snapshot: expected " + snapshot.count() + " records, found " + state.size());
      }
      List<byte[]> records = new ArrayList<>();
      visit(
          LogFormat.recordPrefix(),
          (key, value) -> {
            LogFormat.checkRecordKey(key, snapshot.index() + records.size() + 1);
            records.add(value);
          });
      lastIndex = snapshot.index() + records.size();
      recordBytes = bytes(records);
      snapshotBytes = bytes(state);
      return new Contents(state, snapshot.index(), records);
    } catch (RocksDBException e) {
      throw damaged(e.getMessage(), e);
    } catch (IOException e) {
      throw damaged(e.getMessage(), e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void append(List<byte[]> records) throws IOException {
    for (byte[] record : records) {
      if (record.length > MAX_RECORD_BYTES) {
        throw new IllegalArgumentException(
            "record of " + record.length + " bytes, maximum " + MAX_RECORD_BYTES);
      }
    }
    write(
        batch -> {
          long index = lastIndex;
          for (byte[] record : records) {
            index++;
            batch.put(LogFormat.recordKey(index), record);
          }
        });
    lastIndex += records.size();
    recordBytes += bytes(records);
  }

  @Override
  public void replace(List<byte[]> snapshot) throws IOException {
    if (lastIndex == 0) {
      return;
    }
    write(
        batch -> {
          batch.deleteRange(LogFormat.snapshotPrefix(), LogFormat.snapshotEnd());
          batch.deleteRange(LogFormat.recordPrefix(), LogFormat.recordEnd());
          int number = 0;
          for (byte[] record : snapshot) {
            batch.put(LogFormat.snapshotRecordKey(number), record);
            number++;
          }
          batch.put(
              LogFormat.snapshotKey(),
              LogFormat.encode(new LogFormat.Snapshot(lastIndex, snapshot.size())));
        });
    recordBytes = 0;
    snapshotBytes = bytes(snapshot);
  }

  @Override
  public long recordBytes() {
    return recordBytes;
  }

  @Override
  public long snapshotBytes() {
    return snapshotBytes;
  }

  /**
   * Callable from any thread. If another call is blocked on disk I/O, the database stays open until
   * the process exits.
   */
  @Override
  public void close() {
    boolean locked;
    try {
      locked = lock.tryLock(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      locked = lock.tryLock();
    }
    if (locked) {
      try {
        closed = true;
        closeStore();
      } finally {
        lock.unlock();
      }
    }
  }

  private void write(Change change) throws IOException {
    lock.lock();
    try {
      writeLocked(change);
    } finally {
      lock.unlock();
    }
  }

  private void writeLocked(Change change) throws IOException {
    if (closed) {
      throw new IOException(directory + ": the metadata log is closed");
    }
    boolean retry = failed;
    if (retry) {
      closeStore();
      store = openStore(false);
    }
    failed = true;
    try (WriteBatch batch = new WriteBatch()) {
      if (retry) {
        batch.deleteRange(LogFormat.recordKey(lastIndex + 1), LogFormat.recordEnd());
      }
      change.collect(batch);
      store.db.write(store.write, batch);
      failed = false;
    } catch (RocksDBException e) {
      throw new IOException(directory + ": " + e.getMessage(), e);
    }
  }

  private void visit(byte[] prefix, Visitor visitor) throws IOException, RocksDBException {
    try (RocksIterator entries = store.db.newIterator()) {
      for (entries.seek(prefix); entries.isValid(); entries.next()) {
        byte[] key = entries.key();
        if (key[0] != prefix[0]) {
          break;
        }
        visitor.visit(key, entries.value());
      }
      entries.status();
    }
  }

  /**
   * @param create whether a missing log is created; false when the log existed before, because an
   *     empty log would hide its loss
   */
  private Store openStore(boolean create) throws IOException {
    if (create) {
      makeDirectory();
    }
    Store opened = null;
    boolean usable = false;
    try {
      opened = new Store(directory, create);
      byte[] format = opened.db.get(LogFormat.formatKey());
      if (format != null) {
        LogFormat.checkFormat(format);
      } else if (isEmpty(opened)) {
        opened.db.put(opened.write, LogFormat.formatKey(), LogFormat.format());
      } else {
        throw new IOException("not a coordinator's metadata log");
      }
      usable = true;
      return opened;
    } catch (RocksDBException e) {
      throw cannotOpen(e);
    } catch (IOException e) {
      throw damaged(e.getMessage(), e);
    } finally {
      if (!usable && opened != null) {
        opened.close();
      }
    }
  }

  private void makeDirectory() throws IOException {
    try {
      // RocksDB creates files according to the umask; the directory denies access to other users.
      FileRights.OWNER_ONLY.makeDirectory(directory);
    } catch (IOException e) {
      throw new IOException(directory + ": cannot be created: " + e, e);
    }
  }

  private static boolean isEmpty(Store opened) {
    try (RocksIterator entries = opened.db.newIterator()) {
      entries.seekToFirst();
      return !entries.isValid();
    }
  }

  private IOException cannotOpen(RocksDBException e) {
    Status status = e.getStatus();
    if (status != null && status.getCode() == Status.Code.IOError) {
      boolean inUse = String.valueOf(e.getMessage()).contains("LOCK");
      return new IOException(
          directory
              + (inUse
                  ? ": used by another process, or not writable: "
                  : ": cannot be read or written: ")
              + e.getMessage(),
          e);
    }
    return damaged(e.getMessage(), e);
  }

  private IOException damaged(String why, Exception cause) {
    return new IOException(
        directory
            + ": the metadata log is damaged: "
            + why
            + "; restore the directory from a backup, or move it away to start without exclusions,"
            + " limits and history",
        cause);
  }

  private void closeStore() {
    if (store != null) {
      store.close();
      store = null;
    }
  }

  private static long bytes(List<byte[]> all) {
    return all.stream().mapToLong(one -> one.length).sum();
  }

  private interface Change {
    void collect(WriteBatch batch) throws RocksDBException;
  }

  private interface Visitor {
    void visit(byte[] key, byte[] value) throws IOException;
  }

  /** An open RocksDB database and the native objects that must be freed with it. */
  private static final class Store implements AutoCloseable {
    private final LRUCache cache;
    private final Options options;
    private final WriteOptions write;
    private RocksDB db;

    Store(Path directory, boolean create) throws IOException, RocksDBException {
      UnpackedLibrary.load(
          Environment.getJniLibraryFileName("rocksdb"),
          to -> NativeLibraryLoader.getInstance().loadLibrary(to));
      RocksDB.loadLibrary();
      cache = new LRUCache(CACHE_BYTES);
      options =
          new Options()
              .setCreateIfMissing(create)
              .setWriteBufferSize(WRITE_BUFFER_BYTES)
              .setMaxTotalWalSize(MAX_LOG_BYTES)
              .setMaxOpenFiles(MAX_OPEN_TABLES)
              .setCompressionType(CompressionType.NO_COMPRESSION)
              .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
              .setParanoidChecks(true)
              .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
              .setKeepLogFileNum(KEPT_MESSAGE_FILES)
              .setStatsDumpPeriodSec(0)
              .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
      write = new WriteOptions().setSync(true);
      boolean opened = false;
      try {
        db = RocksDB.open(options, directory.toString());
        opened = true;
      } finally {
        if (!opened) {
          close();
        }
      }
    }

    @Override
    public void close() {
      if (db != null) {
        db.close();
      }
      write.close();
      options.close();
      cache.close();
    }
  }
}
