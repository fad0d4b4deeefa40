package io.sluice.server.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.random.RandomGenerator;

/**
 * A storage with injected disk faults: failure at the n-th call, short writes, full, slow, hung,
 * read-only, vanished, flipped bits. Thread-safe.
 */
public final class InMemoryStorage implements Storage {
  private final String name;
  private final StorageKind kind;
  private final ConcurrentHashMap<String, InMemoryChannel.Content> committed =
      new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, InMemoryChannel.Content> writing =
      new ConcurrentHashMap<>();
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger openChannels = new AtomicInteger();
  private volatile int failAtCall = Integer.MAX_VALUE;
  private volatile boolean failAlways;
  private volatile int maxBytesPerWrite = Integer.MAX_VALUE;
  private volatile long capacityBytes = 1L << 40;
  private volatile boolean failWhenFull;
  private volatile boolean readOnly;
  private volatile boolean failReads;
  private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
  private volatile boolean vanished;
  private volatile boolean crashed;
  private final AtomicInteger readFailures = new AtomicInteger();
  private volatile Runnable beforeCall = () -> {};
  private volatile IntConsumer beforeTransfer = bytes -> {};
  private volatile Fsync fsync = Fsync.NEVER;
  private final Set<String> synced = ConcurrentHashMap.newKeySet();

  public InMemoryStorage(String name, StorageKind kind) {
    this.name = name;
    this.kind = kind;
  }

  /** The n-th call from now fails, once. */
  public void failAtCall(int n) {
    calls.set(0);
    failAtCall = n;
  }

  public void failAlways(boolean fail) {
    failAlways = fail;
  }

  public void maxBytesPerWrite(int bytesAtOnce) {
    maxBytesPerWrite = bytesAtOnce;
  }

  public void capacityBytes(long bytes) {
    capacityBytes = bytes;
  }

  /** Whether a write beyond the capacity fails, in the middle of a file. */
  public void failWhenFull(boolean fail) {
    failWhenFull = fail;
  }

  /** As after a read-only remount: files can be read, but not written or deleted. */
  public void readOnly(boolean only) {
    readOnly = only;
  }

  /** EIO for every read. */
  public void failReads(boolean fail) {
    failReads = fail;
  }

  /** EIO for every read of one file, as where a sector is bad. */
  public void failReadsOf(String file) {
    unreadable.add(file);
  }

  /** Every file can be read again. */
  public void readableAgain() {
    unreadable.clear();
  }

  /** The directory vanishes with its files; when it returns, it is empty. */
  public void vanished(boolean gone) {
    vanished = gone;
    if (gone) {
      committed.clear();
      writing.clear();
    }
  }

  /** A task to run before each call that waits for a disk: advances time, or hangs. */
  public void beforeCall(Runnable task) {
    beforeCall = task;
  }

  /** A task to run before bytes of a file are read or written, with their number. */
  public void beforeTransfer(IntConsumer task) {
    beforeTransfer = task;
  }

  /**
   * Hangs every call from now on, without reaction to interrupts; the returned task ends the hang.
   */
  public Runnable hang() {
    CountDownLatch over = new CountDownLatch(1);
    beforeCall =
        () -> {
          boolean interrupted = false;
          while (over.getCount() > 0) {
            try {
              over.await();
            } catch (InterruptedException e) {
              interrupted = true;
            }
          }
          if (interrupted) {
            Thread.currentThread().interrupt();
          }
        };
    return () -> {
      beforeCall = () -> {};
      over.countDown();
    };
  }

  /** Flips a bit of a committed file. */
  public void flip(String file, long offset) {
    committed.get(file).flip((int) offset);
  }

  /** Truncates a committed file, as a crash of the machine may. */
  public void truncate(String file, long length) {
    committed.get(file).truncate((int) length);
  }

  /**
   * A copy with the committed files, as another process finds it after a crash of this one. Changes
   * to one copy do not affect the other.
   */
  public InMemoryStorage afterCrash() {
    crashed = true;
    InMemoryStorage next = new InMemoryStorage(name, kind);
    next.committed.putAll(committed);
    next.fsync = fsync;
    next.synced.addAll(synced);
    next.capacityBytes = capacityBytes;
    return next;
  }

  /** Sets which committed files survive a crash of the machine. */
  public void fsync(Fsync policy) {
    fsync = policy;
  }

  /**
   * A copy as another process finds it after a crash of the machine. Each file that was not synced
   * is whole, truncated or gone, as {@code random} decides.
   */
  public InMemoryStorage afterMachineCrash(RandomGenerator random) {
    InMemoryStorage next = afterCrash();
    next.synced.clear();
    for (String file : new TreeSet<>(committed.keySet())) {
      if (synced.contains(file)) {
        next.synced.add(file);
        continue;
      }
      InMemoryChannel.Content content = committed.get(file);
      switch (random.nextInt(3)) {
        case 0 -> next.synced.add(file);
        case 1 -> {
          InMemoryChannel.Content torn = content.copy();
          torn.truncate(random.nextInt(content.length() + 1));
          next.committed.put(file, torn);
        }
        default -> next.committed.remove(file);
      }
    }
    return next;
  }

  /** Names of the committed files, ordered. */
  public List<String> files() {
    return List.copyOf(new TreeSet<>(committed.keySet()));
  }

  /** Length of a committed file. */
  public int length(String file) {
    return committed.get(file).length();
  }

  @Override
  public void sync() throws IOException {
    countCall("sync");
    if (fsync == Fsync.INTERVAL) {
      synced.addAll(committed.keySet());
    }
  }

  /** Opens and reads that failed so far. */
  public int readFailures() {
    return readFailures.get();
  }

  /** Files that are not committed. */
  public int unfinishedCount() {
    return writing.size();
  }

  /** Channels that were opened for reading and not closed. */
  public int openChannelCount() {
    return openChannels.get();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public StorageKind kind() {
    return kind;
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public long freeBytes() {
    long stored = 0;
    for (InMemoryChannel.Content content : committed.values()) {
      stored += content.length();
    }
    return Math.max(0, capacityBytes - stored);
  }

  @Override
  public NewFile create(String file) throws IOException {
    countCall("create");
    InMemoryChannel.Content content = new InMemoryChannel.Content();
    // An existing file is replaced when this one is committed, as by a rename.
    if (writing.putIfAbsent(file, content) != null) {
      throw new FileAlreadyExistsException(file);
    }
    InMemoryChannel channel =
        new InMemoryChannel(
            content,
            wanted -> {
              countCall("write");
              int room = roomFor(Math.min(wanted, maxBytesPerWrite));
              beforeTransfer.accept(room);
              return room;
            },
            wanted -> wanted,
            () -> {});
    return new NewFile() {
      @Override
      public FileChannel channel() {
        return channel;
      }

      @Override
      public void commit() throws IOException {
        countCall("commit");
        channel.close();
        committed.put(file, content);
        if (fsync == Fsync.RUN) {
          synced.add(file);
        }
        writing.remove(file);
      }

      @Override
      public void close() throws IOException {
        channel.close();
        writing.remove(file);
      }
    };
  }

  @Override
  public FileChannel open(String file) throws IOException {
    beforeCall.run();
    InMemoryChannel.Content content = committed.get(file);
    if (vanished || content == null) {
      readFailures.incrementAndGet();
      throw new NoSuchFileException(file);
    }
    openChannels.incrementAndGet();
    return new InMemoryChannel(
        content,
        wanted -> {
          throw new IOException("opened for reading");
        },
        wanted -> {
          beforeCall.run();
          if (failReads || vanished || unreadable.contains(file)) {
            readFailures.incrementAndGet();
            throw new IOException("Input/output error");
          }
          beforeTransfer.accept(wanted);
          return wanted;
        },
        openChannels::decrementAndGet);
  }

  @Override
  public void delete(String file) throws IOException {
    beforeCall.run();
    checkThere();
    checkWritable();
    InMemoryChannel.Content removed = committed.remove(file);
    synced.remove(file);
    if (removed != null && !crashed) {
      // As on a real disk, so that a reader that was not counted fails.
      removed.truncate(0);
    }
  }

  @Override
  public List<Entry> list() {
    return committed.entrySet().stream()
        .map(entry -> new Entry(entry.getKey(), entry.getValue().length()))
        .toList();
  }

  @Override
  public void close() {}

  @Override
  public void checkPresent() throws IOException {
    beforeCall.run();
    checkThere();
  }

  private int roomFor(int wanted) throws IOException {
    if (!failWhenFull) {
      return wanted;
    }
    long used = 0;
    for (InMemoryChannel.Content content : committed.values()) {
      used += content.length();
    }
    for (InMemoryChannel.Content content : writing.values()) {
      used += content.length();
    }
    if (used >= capacityBytes) {
      throw new IOException("No space left on device");
    }
    return (int) Math.min(wanted, capacityBytes - used);
  }

  private void checkThere() throws IOException {
    if (vanished) {
      throw new NoSuchFileException(name);
    }
  }

  private void checkWritable() throws IOException {
    if (readOnly) {
      throw new IOException(name + ": Read-only file system");
    }
  }

  private void countCall(String what) throws IOException {
    beforeCall.run();
    checkThere();
    checkWritable();
    if (failAlways || calls.incrementAndGet() == failAtCall) {
      throw new IOException("injected failure of " + what + " on " + name);
    }
  }
}
