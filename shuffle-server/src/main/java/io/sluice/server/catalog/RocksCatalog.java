package io.sluice.server.catalog;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.common.file.FileRights;
import io.sluice.common.run.RunId;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A catalog in RocksDB, in a directory of its own ({@link CatalogFormat}).
 *
 * <p>When a call returns, its change is in RocksDB's log in the page cache and survives a crash of
 * the process. After a crash of the machine, a torn log is read up to the tear, so only the latest
 * changes are lost.
 *
 * <p>After a failed change RocksDB refuses all further changes; the next call reopens the database.
 *
 * <p>Thread-safe.
 */
public final class RocksCatalog implements RunCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(RocksCatalog.class);

  /** A record is some 100 bytes: 10,000 runs fit before a table is written. */
  private static final long WRITE_BUFFER_BYTES = 1 << 20;

  private static final long CACHE_BYTES = 1 << 20;

  /** Maximum log size before its records are written as a table. */
  private static final long MAX_LOG_BYTES = 8 << 20;

  private static final int MAX_OPEN_TABLES = 32;

  /** Number of RocksDB's message log files to keep, one per start. */
  private static final int KEPT_MESSAGE_FILES = 3;

  /** Bounds {@link #close}, as a call may hang on its disk. */
  private static final long CLOSE_WAIT_MS = 5_000;

  private final Path directory;
  private final CatalogConfig config;
  // Calls use the read lock; close and reopen, which free native objects, use the write lock.
  private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();
  private final Object tombstoneLock = new Object();

  @GuardedBy("use")
  private Store store;

  @GuardedBy("use")
  private boolean closed;

  @GuardedBy("use")
  private volatile boolean failed;

  // Guarded by tombstoneLock.
  private int tombstoneCount;

  private RocksCatalog(Path directory, CatalogConfig config) {
    this.directory = directory;
    this.config = config;
  }

  /**
   * Opens a catalog; creates an empty one if the directory does not exist.
   *
   * @throws IOException if the catalog is unreadable, damaged or of an unknown version; the message
   *     is one line
   */
  public static RocksCatalog open(Path directory, CatalogConfig config) throws IOException {
    RocksCatalog catalog = new RocksCatalog(directory, config);
    catalog.store = catalog.openStore();
    boolean opened = false;
    try {
      catalog.tombstoneCount = catalog.readTombstones().size();
      opened = true;
    } finally {
      if (!opened) {
        catalog.close();
      }
    }
    return catalog;
  }

  /** Whether a directory contains a catalog, valid or not. */
  public static boolean isThere(Path directory) {
    return Files.exists(directory.resolve("CURRENT"));
  }

  @Override
  public void add(RunRecord run) throws IOException {
    change(batch -> batch.put(CatalogFormat.runKey(run.id()), CatalogFormat.encode(run)));
  }

  @Override
  public void remove(Collection<RunId> runs) throws IOException {
    change(
        batch -> {
          for (RunId run : runs) {
            batch.delete(CatalogFormat.runKey(run));
            batch.delete(CatalogFormat.damageKey(run));
          }
        });
  }

  @Override
  public void recordDamage(RunId run, SortedMap<Long, Integer> blocks) throws IOException {
    change(batch -> batch.put(CatalogFormat.damageKey(run), CatalogFormat.encode(blocks)));
  }

  @Override
  public Map<RunId, NavigableMap<Long, Integer>> damage() throws IOException {
    Map<RunId, NavigableMap<Long, Integer>> damage = new HashMap<>();
    visit(
        CatalogFormat.damagePrefix(),
        (key, value) ->
            damage.put(CatalogFormat.decodeDamagedRun(key), CatalogFormat.decodeDamage(value)));
    return damage;
  }

  @Override
  public List<RunRecord> runs() throws IOException {
    List<RunRecord> runs = new ArrayList<>();
    visit(CatalogFormat.runPrefix(), (key, value) -> runs.add(CatalogFormat.decodeRun(key, value)));
    return runs;
  }

  @Override
  public void addTombstones(Collection<Tombstone> shuffles) throws IOException {
    synchronized (tombstoneLock) {
      int excess = Math.max(0, tombstoneCount + shuffles.size() - config.maxTombstones());
      List<byte[]> oldest = oldestTombstones(excess);
      change(
          batch -> {
            for (byte[] key : oldest) {
              batch.delete(key);
            }
            for (Tombstone tombstone : shuffles) {
              batch.put(CatalogFormat.tombstoneKey(tombstone), new byte[0]);
            }
          });
      tombstoneCount += shuffles.size() - oldest.size();
    }
  }

  @Override
  public List<Tombstone> tombstones() throws IOException {
    Map<ShuffleKey, Tombstone> newest = new HashMap<>();
    for (Tombstone tombstone : readTombstones()) {
      newest.put(tombstone.shuffle(), tombstone);
    }
    return new ArrayList<>(newest.values());
  }

  @Override
  public void recordCleanStop(CleanStop stop) throws IOException {
    change(batch -> batch.put(CatalogFormat.stopKey(), CatalogFormat.encode(stop)));
  }

  @Override
  public Optional<CleanStop> lastCleanStop() throws IOException {
    byte[] value = call(() -> store.db.get(CatalogFormat.stopKey()));
    return value == null ? Optional.empty() : Optional.of(CatalogFormat.decodeStop(value));
  }

  @Override
  public void sync() throws IOException {
    call(
        () -> {
          store.db.flushWal(true);
          return null;
        });
  }

  @Override
  public void close() throws IOException {
    boolean alone;
    try {
      alone = use.writeLock().tryLock(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      alone = use.writeLock().tryLock();
    }
    if (!alone) {
      // Closing would free objects that the hanging call uses. They are freed when the process
      // ends.
      throw new IOException(
          "catalog " + directory + ": not closed, a call still waits for the disk");
    }
    try {
      closed = true;
      if (store != null) {
        store.close();
        store = null;
      }
    } finally {
      use.writeLock().unlock();
    }
  }

  /** Oldest first; a shuffle that was deleted several times has several tombstones. */
  private List<Tombstone> readTombstones() throws IOException {
    List<Tombstone> tombstones = new ArrayList<>();
    visit(
        CatalogFormat.tombstonePrefix(),
        (key, value) -> tombstones.add(CatalogFormat.decodeTombstone(key)));
    return tombstones;
  }

  private List<byte[]> oldestTombstones(int count) throws IOException {
    List<byte[]> keys = new ArrayList<>(count);
    if (count > 0) {
      visit(
          CatalogFormat.tombstonePrefix(),
          (key, value) -> {
            if (keys.size() < count) {
              keys.add(key);
            }
          });
    }
    return keys;
  }

  private void visit(byte[] prefix, Visitor visitor) throws IOException {
    call(
        () -> {
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
          return null;
        });
  }

  private void change(Change change) throws IOException {
    try (WriteBatch batch = new WriteBatch()) {
      change.collect(batch);
      boolean written = false;
      try {
        call(
            () -> {
              store.db.write(store.write, batch);
              return null;
            });
        written = true;
      } finally {
        failed |= !written;
      }
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  private <T> T call(Call<T> body) throws IOException {
    if (failed) {
      openAnew();
    }
    use.readLock().lock();
    try {
      if (store == null) {
        throw new IOException("catalog " + directory + ": " + (closed ? "is closed" : "not open"));
      }
      return body.run();
    } catch (RocksDBException e) {
      throw failure(e);
    } finally {
      use.readLock().unlock();
    }
  }

  private void openAnew() throws IOException {
    use.writeLock().lock();
    try {
      if (closed || !failed) {
        return;
      }
      if (store != null) {
        store.close();
        store = null;
      }
      if (!isThere(directory)) {
        // Creating an empty catalog would make every run unknown.
        throw new IOException("catalog " + directory + ": directory does not exist");
      }
      store = openStore();
      failed = false;
      LOG.info("catalog reopened directory={}", directory);
    } finally {
      use.writeLock().unlock();
    }
  }

  private Store openStore() throws IOException {
    // RocksDB creates files with the umask; the directory denies access to other users.
    FileRights.OWNER_ONLY.makeDirectory(directory);
    Store opened = null;
    boolean usable = false;
    try {
      opened = new Store(directory, config.syncEveryChange());
      byte[] format = opened.db.get(CatalogFormat.formatKey());
      if (format == null) {
        opened.db.put(opened.write, CatalogFormat.formatKey(), CatalogFormat.format());
      } else {
        try {
          CatalogFormat.checkFormat(format);
        } catch (IOException e) {
          throw new IOException("catalog " + directory + ": " + e.getMessage(), e);
        }
      }
      usable = true;
      return opened;
    } catch (RocksDBException e) {
      throw failure(e);
    } finally {
      if (!usable && opened != null) {
        opened.close();
      }
    }
  }

  private IOException failure(RocksDBException e) {
    return new IOException("catalog " + directory + ": " + e.getMessage(), e);
  }

  private interface Call<T> {
    T run() throws RocksDBException, IOException;
  }

  private interface Change {
    void collect(WriteBatch batch) throws RocksDBException;
  }

  private interface Visitor {
    void visit(byte[] key, byte[] value) throws IOException;
  }

  /** An open RocksDB with its native objects. */
  private static final class Store implements AutoCloseable {
    private final LRUCache cache;
    private final Options options;
    private final WriteOptions write;
    private RocksDB db;

    Store(Path directory, boolean sync) throws IOException, RocksDBException {
      RocksLibrary.load();
      cache = new LRUCache(CACHE_BYTES);
      options =
          new Options()
              .setCreateIfMissing(true)
              .setWriteBufferSize(WRITE_BUFFER_BYTES)
              .setMaxTotalWalSize(MAX_LOG_BYTES)
              .setMaxOpenFiles(MAX_OPEN_TABLES)
              .setCompressionType(CompressionType.NO_COMPRESSION)
              .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
              .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
              .setKeepLogFileNum(KEPT_MESSAGE_FILES)
              .setStatsDumpPeriodSec(0)
              .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
      write = new WriteOptions().setSync(sync);
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
