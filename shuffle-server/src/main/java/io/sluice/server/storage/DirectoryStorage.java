package io.sluice.server.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of the local file system.
 *
 * <pre>
 *   BASE/sluice.lock         who has it
 *   BASE/runs/RUNID.run      committed
 *   BASE/runs/RUNID.run.tmp  being written
 * </pre>
 *
 * Files are renamed when they are whole. They are not synced: a run does not outlive its server's
 * epoch, so what a crash of the machine may lose is lost anyway.
 */
public final class DirectoryStorage implements Storage {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryStorage.class);

  private static final String TEMPORARY = ".tmp";
  private static final Pattern OURS = Pattern.compile("[0-9a-f]{32}\\.run(\\.tmp)?");
  private static final String PROBE = "probe" + TEMPORARY;

  private final DirectoryConfig config;
  private final StorageKind kind;
  private final DirectoryLock lock;
  private final Path runs;
  private final FileStore fileStore;
  private final AtomicLong storedBytes = new AtomicLong();

  private DirectoryStorage(
      DirectoryConfig config, StorageKind kind, DirectoryLock lock, Path runs, FileStore store) {
    this.config = config;
    this.kind = kind;
    this.lock = lock;
    this.runs = runs;
    this.fileStore = store;
  }

  /**
   * Takes a directory, made if it is not there, and deletes what an earlier life of a server left
   * in it.
   *
   * @param owner who takes it, in one line, for others who try
   * @throws DirectoryInUseException if another server has it
   * @throws IOException if it cannot be written
   */
  public static DirectoryStorage open(DirectoryConfig config, String owner) throws IOException {
    Path runs = config.path().resolve("runs");
    Files.createDirectories(runs);
    DirectoryLock lock = DirectoryLock.take(config.path(), owner);
    boolean opened = false;
    try {
      deleteLeftovers(runs);
      probe(runs);
      StorageKind kind =
          config.kind().orElseGet(() -> new DiskKinds(Path.of("/sys/dev/block")).kindOf(runs));
      DirectoryStorage storage =
          new DirectoryStorage(config, kind, lock, runs, Files.getFileStore(runs));
      opened = true;
      return storage;
    } finally {
      if (!opened) {
        lock.close();
      }
    }
  }

  @Override
  public String name() {
    return config.path().toString();
  }

  @Override
  public StorageKind kind() {
    return kind;
  }

  @Override
  public long capacityBytes() throws IOException {
    return config.capacityBytes() > 0
        ? config.capacityBytes()
        : (long) (fileStore.getTotalSpace() * config.capacityRatio());
  }

  @Override
  public long freeBytes() throws IOException {
    long unused = Math.max(0, capacityBytes() - storedBytes.get());
    return Math.min(unused, fileStore.getUsableSpace());
  }

  @Override
  public NewFile create(String file) throws IOException {
    return new Writing(file);
  }

  @Override
  public FileChannel open(String file) throws IOException {
    return FileChannel.open(runs.resolve(file), StandardOpenOption.READ);
  }

  @Override
  public void delete(String file) throws IOException {
    Path path = runs.resolve(file);
    if (Files.exists(path)) {
      long length = Files.size(path);
      Files.delete(path);
      storedBytes.addAndGet(-length);
    }
  }

  @Override
  public List<Entry> list() throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (Stream<Path> files = Files.list(runs)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (!name.endsWith(TEMPORARY)) {
          entries.add(new Entry(name, Files.size(file)));
        }
      }
    }
    return entries;
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }

  /** Finds out now, and not at the first spill, that nothing can be written. */
  private static void probe(Path runs) throws IOException {
    Path file = runs.resolve(PROBE);
    Files.write(file, new byte[4096]);
    Files.delete(file);
  }

  /** Runs of an earlier epoch: nobody refers to them any more. */
  private static void deleteLeftovers(Path runs) throws IOException {
    int count = 0;
    long bytes = 0;
    try (Stream<Path> files = Files.list(runs)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (OURS.matcher(file.getFileName().toString()).matches()) {
          bytes += Files.size(file);
          Files.delete(file);
          count++;
        }
      }
    }
    if (count > 0) {
      LOG.info("leftover runs deleted directory={} files={} bytes={}", runs, count, bytes);
    }
  }

  private final class Writing implements NewFile {
    private final Path temporary;
    private final Path path;
    private final FileChannel channel;
    private boolean committed;

    Writing(String file) throws IOException {
      path = runs.resolve(file);
      temporary = runs.resolve(file + TEMPORARY);
      channel =
          FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public FileChannel channel() {
      return channel;
    }

    @Override
    public void commit() throws IOException {
      long length = channel.size();
      channel.close();
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
      committed = true;
      storedBytes.addAndGet(length);
    }

    @Override
    public void close() throws IOException {
      channel.close();
      if (!committed) {
        Files.deleteIfExists(temporary);
      }
    }
  }
}
