package io.sluice.server.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.RunRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A committed run file. It belongs to a log until the log discards it. It is open while it has
 * readers, and for some time after that. It is deleted once it is discarded and has no readers.
 *
 * <p>It may move to another disk ({@link #switchTo}) with unchanged bytes and the same run id.
 * Current readers continue on the old file, which is deleted when the run has no readers. Later
 * readers open the new file.
 *
 * <p>Thread-safe. Does no I/O under the lock.
 */
public final class RunFile implements ReadableRun {
  private static final int END_BYTES = 64 << 10;

  /** Maximum number of damaged blocks of a run; with more, the whole run is lost. */
  public static final int MAX_DAMAGED_BLOCKS = 1024;

  private final RunFiles files;
  private final RunRecord record;
  private final String name;
  private final long writtenNanos;

  // Length of each block that was found damaged, by its offset in the file; replaced, not changed.
  private volatile NavigableMap<Long, Integer> damage = Collections.emptyNavigableMap();

  // Written by concurrent readers without a lock; any of their times will do.
  private volatile long lastReadNanos;

  @GuardedBy("this")
  private Disk disk;

  @GuardedBy("this")
  private boolean discarded;

  @GuardedBy("this")
  private int readers;

  @GuardedBy("this")
  private FileChannel channel;

  @GuardedBy("this")
  private List<FileChannel> retired = List.of();

  @GuardedBy("this")
  private List<Runnable> whenUnread = List.of();

  RunFile(RunFiles files, Disk disk, RunRecord record) {
    this.files = files;
    this.disk = disk;
    this.record = record;
    this.name = RunFiles.fileName(record.id());
    this.writtenNanos = disk.nanoTime().getAsLong();
  }

  public RunId id() {
    return record.id();
  }

  /** The catalog record of the run. */
  public RunRecord record() {
    return record;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String application() {
    return record.shuffle().application();
  }

  /**
   * A failed read at the end of the file, which stores index and trailer; also used if the failed
   * offset is unknown.
   */
  public FailedRead failedRead() {
    int length = (int) Math.min(END_BYTES, length());
    return failedRead(length() - length, length);
  }

  public long length() {
    return record.length();
  }

  /** Lengths of the blocks that were found damaged, by their offsets in the file. Not changed. */
  public NavigableMap<Long, Integer> damage() {
    return damage;
  }

  @Override
  public boolean isDamagedAt(long fileOffset) {
    return damage.containsKey(fileOffset);
  }

  /**
   * Records damaged blocks.
   *
   * @param blocks length of each block, by its offset in the file
   * @return false if the run has more than {@link #MAX_DAMAGED_BLOCKS}; then nothing was recorded
   */
  public synchronized boolean addDamage(Map<Long, Integer> blocks) {
    NavigableMap<Long, Integer> all = new TreeMap<>(damage);
    all.putAll(blocks);
    if (all.size() > MAX_DAMAGED_BLOCKS) {
      return false;
    }
    damage = Collections.unmodifiableNavigableMap(all);
    return true;
  }

  /**
   * Reads the block list of an extent.
   *
   * @param reader borrowed; a reader of this run
   * @return the blocks that were not found damaged
   */
  public List<RunBlock> intactBlocks(RunReader reader, RunExtent extent) throws IOException {
    List<RunBlock> intact = new ArrayList<>(extent.blockCount());
    long at = extent.fileOffset();
    for (RunBlock block : reader.blocks(extent)) {
      if (!isDamagedAt(at)) {
        intact.add(block);
      }
      at += block.length();
    }
    return intact;
  }

  @Override
  public synchronized Disk disk() {
    return disk;
  }

  public synchronized boolean isDiscarded() {
    return discarded;
  }

  @Override
  public void markRead(long nowNanos) {
    lastReadNanos = nowNanos;
  }

  @Override
  public long lastReadNanos() {
    return lastReadNanos;
  }

  /** Time of the last read, or of the write if the run was never read. */
  public long lastUseNanos() {
    return lastReadNanos == 0 ? writtenNanos : lastReadNanos;
  }

  @Override
  public synchronized FileChannel openChannel() {
    checkHasReader();
    return channel;
  }

  @Override
  public FileChannel channel() throws IOException {
    while (true) {
      Disk at;
      synchronized (this) {
        checkHasReader();
        if (channel != null) {
          return channel;
        }
        at = disk;
      }
      FileChannel opened;
      try {
        opened = at.storage().open(name);
      } catch (IOException e) {
        if (disk() != at) {
          // The run was moved meanwhile.
          continue;
        }
        throw e;
      }
      FileChannel found = null;
      synchronized (this) {
        if (disk == at) {
          if (channel == null) {
            channel = opened;
            return opened;
          }
          found = channel;
        }
      }
      files.closeQuietly(opened, this);
      if (found != null) {
        return found;
      }
    }
  }

  @Override
  public FileChannel openOwn() throws IOException {
    while (true) {
      Disk at = disk();
      try {
        return at.storage().open(name);
      } catch (IOException e) {
        if (disk() == at) {
          throw e;
        }
      }
    }
  }

  @Override
  public synchronized void retain() {
    if (discarded && readers == 0) {
      throw new IllegalStateException("run " + this + " was discarded and has no readers");
    }
    readers++;
    files.becameBusy(this);
  }

  /** As {@link #retain} for callers without the log's lock; false if the run was discarded. */
  public synchronized boolean tryRetain() {
    if (discarded) {
      return false;
    }
    readers++;
    files.becameBusy(this);
    return true;
  }

  @Override
  public void release() {
    boolean last;
    List<FileChannel> toClose = List.of();
    List<Runnable> toRun = List.of();
    synchronized (this) {
      if (readers == 0) {
        throw new IllegalStateException("run " + this + " released too often");
      }
      readers--;
      last = discarded && readers == 0;
      if (readers == 0) {
        toClose = retired;
        retired = List.of();
        toRun = whenUnread;
        whenUnread = List.of();
        if (!last && channel != null) {
          files.becameIdle(this);
        }
      }
    }
    if (last) {
      files.unreferenced(this);
    }
    for (FileChannel each : toClose) {
      files.closeLater(each, this);
    }
    toRun.forEach(Runnable::run);
    files.closeIdle();
  }

  /**
   * Runs a task once the run has no readers: now, or when the last one releases it. The task must
   * not wait.
   */
  public void whenUnread(Runnable task) {
    synchronized (this) {
      if (readers > 0) {
        whenUnread = new ArrayList<>(whenUnread);
        whenUnread.add(task);
        return;
      }
    }
    task.run();
  }

  @Override
  public void discard() {
    boolean last;
    synchronized (this) {
      last = !discarded && readers == 0;
      discarded = true;
    }
    if (last) {
      files.unreferenced(this);
    }
  }

  /**
   * Switches the run to a copy on another disk. The caller must have retained the run, and deletes
   * the old file when the run has no readers ({@link #whenUnread}).
   *
   * @return false if the log has discarded the run meanwhile; then nothing has changed
   */
  public boolean switchTo(Disk target) {
    synchronized (this) {
      checkHasReader();
      if (discarded) {
        return false;
      }
      if (channel != null) {
        retired = new ArrayList<>(retired);
        retired.add(channel);
        channel = null;
      }
      disk = target;
      return true;
    }
  }

  /** Closes the file if it has no readers. */
  void closeIfIdle() {
    FileChannel toClose = null;
    synchronized (this) {
      if (readers == 0) {
        toClose = channel;
        channel = null;
      }
    }
    if (toClose != null) {
      files.closeQuietly(toClose, this);
    }
  }

  /** Deletes the file; called on a thread of its disk. */
  void closeAndDelete() throws IOException {
    closeIfIdle();
    disk().storage().delete(name);
  }

  /** Does not depend on the address: a repeated simulation visits files in the same order. */
  @Override
  public int hashCode() {
    return record.id().hashCode();
  }

  @Override
  public String toString() {
    return disk().storage().pathOf(name);
  }

  @GuardedBy("this")
  private void checkHasReader() {
    if (readers == 0) {
      throw new IllegalStateException("run " + record.id() + " has no reader");
    }
  }
}
