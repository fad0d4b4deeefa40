package io.sluice.server.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A storage that can be told to fail: at the n-th call, to write short, to be full. Thread-safe.
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
  private volatile int mostBytesAtOnce = Integer.MAX_VALUE;
  private volatile long capacityBytes = 1L << 40;

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

  public void writeAtMost(int bytesAtOnce) {
    mostBytesAtOnce = bytesAtOnce;
  }

  public void capacityBytes(long bytes) {
    capacityBytes = bytes;
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
    if (committed.containsKey(file) || writing.putIfAbsent(file, content) != null) {
      throw new FileAlreadyExistsException(file);
    }
    InMemoryChannel channel =
        new InMemoryChannel(
            content,
            wanted -> {
              countCall("write");
              return Math.min(wanted, mostBytesAtOnce);
            },
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
    InMemoryChannel.Content content = committed.get(file);
    if (content == null) {
      throw new NoSuchFileException(file);
    }
    openChannels.incrementAndGet();
    return new InMemoryChannel(
        content,
        wanted -> {
          throw new IOException("opened for reading");
        },
        openChannels::decrementAndGet);
  }

  @Override
  public void delete(String file) {
    committed.remove(file);
  }

  @Override
  public List<Entry> list() {
    return committed.entrySet().stream()
        .map(entry -> new Entry(entry.getKey(), entry.getValue().length()))
        .toList();
  }

  @Override
  public void close() {}

  private void countCall(String what) throws IOException {
    if (failAlways || calls.incrementAndGet() == failAtCall) {
      throw new IOException("injected failure of " + what + " on " + name);
    }
  }
}
