package io.sluice.server.disk;

import io.sluice.common.file.FileRights;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of the local file system.
 *
 * <pre>
 *   BASE/sluice.lock         names the server that uses the directory
 *   BASE/runs/RUNID.run      committed
 *   BASE/runs/RUNID.run.tmp  being written
 *   BASE/catalog             lists the committed runs
 * </pre>
 *
 * Files are renamed when they are complete and synced according to {@link Fsync}. Created files are
 * readable by the server's user and, if one is configured, a group ({@link FileRights}).
 */
public final class DirectoryStorage implements Storage {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryStorage.class);

  private static final String TEMPORARY = ".tmp";
  private static final Pattern UNFINISHED = Pattern.compile("[0-9a-f]{32}\\.run\\.tmp");
  private static final String PROBE = "probe" + TEMPORARY;

  private final DirectoryConfig config;
  private final Fsync fsync;
  private final StorageKind kind;
  private final String owner;
  private final Path runs;
  private final FileStore fileStore;
  private final long device;
  private final AtomicLong storedBytes = new AtomicLong();
  private final Set<String> notSynced = ConcurrentHashMap.newKeySet();
  // Identity of the opened directory, to detect that another one was mounted over it.
  private volatile Object runsKey;
  private volatile DirectoryLock lock;

  private DirectoryStorage(
      DirectoryConfig config,
      Fsync fsync,
      StorageKind kind,
      String owner,
      DirectoryLock lock,
      Path runs)
      throws IOException {
    this.config = config;
    this.fsync = fsync;
    this.kind = kind;
    this.owner = owner;
    this.lock = lock;
    this.runs = runs;
    this.fileStore = Files.getFileStore(runs);
    this.device = deviceOf(config.path());
    this.runsKey = keyOf(runs);
  }

  /**
   * Opens and locks a directory, which is created if it does not exist. Deletes the unfinished
   * files of an earlier server process.
   *
   * @param owner one line about this process, for the error message of another server
   * @throws DirectoryInUseException if another server uses the directory
   * @throws UnsafeDirectoryException if other users may change it
   * @throws IOException if the directory is not writable
   */
  public static DirectoryStorage open(DirectoryConfig config, Fsync fsync, String owner)
      throws IOException {
    Path runs = config.path().resolve("runs");
    BaseDirectory.make(config.path(), config.rights());
    makeRuns(config, runs);
    DirectoryLock lock = DirectoryLock.acquire(config.path(), owner);
    boolean opened = false;
    try {
      deleteUnfinished(runs);
      probe(runs);
      StorageKind kind =
          config.kind().orElseGet(() -> new DiskKinds(Path.of("/sys/dev/block")).kindOf(runs));
      DirectoryStorage storage = new DirectoryStorage(config, fsync, kind, owner, lock, runs);
      storage.countStored();
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
    long usable = Math.max(0, fileStore.getUsableSpace() - config.reservedBytes());
    return Math.min(unused, usable);
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
  public String pathOf(String file) {
    return runs.resolve(file).toString();
  }

  @Override
  public void delete(String file) throws IOException {
    Path path = runs.resolve(file);
    if (Files.exists(path)) {
      storedBytes.addAndGet(-empty(path));
      Files.delete(path);
    }
  }

  /**
   * Truncates a file that is deleted next. Clients on this host may have descriptors of it, which
   * would keep its blocks allocated for as long as they want.
   *
   * @return the length before, in bytes
   */
  private static long empty(Path path) throws IOException {
    long length = Files.size(path);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.truncate(0);
    } catch (IOException e) {
      // Deleting is more important, and may succeed: its space is free when clients have closed it.
      LOG.warn("run not truncated before its deletion file={} problem={}", path, e.toString());
    }
    return length;
  }

  @Override
  public void sync() throws IOException {
    List<String> files = new ArrayList<>(notSynced);
    if (files.isEmpty()) {
      return;
    }
    for (String file : files) {
      try {
        force(runs.resolve(file));
      } catch (NoSuchFileException e) {
        LOG.trace("deleted before it was synced file={}", file);
      }
      notSynced.remove(file);
    }
    force(runs);
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
  public void checkPresent() throws IOException {
    if (!keyOf(runs).equals(runsKey)) {
      throw new NoSuchFileException(runs.toString(), null, "it was replaced by another directory");
    }
  }

  /**
   * Opens the directory again. The base directory must exist on its earlier file system or on any
   * other than the root file system. Otherwise the disk is not mounted, and writing would fill the
   * root file system.
   */
  @Override
  public void renew() throws IOException {
    long found = deviceOf(config.path());
    if (found != device && found == deviceOf(config.path().getRoot())) {
      throw new NoSuchFileException(
          config.path().toString(), null, "its file system is not mounted");
    }
    BaseDirectory.check(config.path());
    makeRuns(config, runs);
    Object key = keyOf(runs);
    if (!key.equals(runsKey)) {
      // The locked file disappeared with the directory.
      lock.close();
      lock = DirectoryLock.acquire(config.path(), owner);
      countStored();
      runsKey = key;
      LOG.info("directory is available again directory={}", runs);
    }
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }

  private static Object keyOf(Path directory) throws IOException {
    Object key = Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
    // This file system has no file keys to compare.
    return key == null ? directory : key;
  }

  private static long deviceOf(Path directory) throws IOException {
    try {
      return (Long) Files.getAttribute(directory, "unix:dev");
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      // Not Unix: no device number to compare.
      return 0;
    }
  }

  private void countStored() throws IOException {
    long bytes = 0;
    for (Entry entry : list()) {
      if (RunFiles.runId(entry.file()).isPresent()) {
        bytes += entry.length();
      }
    }
    storedBytes.set(bytes);
  }

  /** Fails at start, rather than at the first spill, if the directory is not writable. */
  private static void probe(Path runs) throws IOException {
    Path file = runs.resolve(PROBE);
    Files.deleteIfExists(file);
    try (FileChannel channel = createNew(file)) {
      channel.write(ByteBuffer.allocate(4096));
    }
    Files.delete(file);
  }

  private static FileChannel createNew(Path file) throws IOException {
    return FileChannel.open(
        file,
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        FileRights.ofNewFile(file));
  }

  private static void makeRuns(DirectoryConfig config, Path runs) throws IOException {
    try {
      config.rights().makeDirectory(runs);
    } catch (FileSystemException e) {
      if (Files.isDirectory(runs) && !(e instanceof FileAlreadyExistsException)) {
        throw new UnsafeDirectoryException(
            runs
                + " cannot be set to the configured permissions ("
                + e.getReason()
                + "); it must be owned by the user of this process"
                + config
                    .rights()
                    .group()
                    .map(group -> ", which must be in group " + group)
                    .orElse(""),
            e);
      }
      throw e;
    }
  }

  private static void deleteUnfinished(Path runs) throws IOException {
    int count = 0;
    long bytes = 0;
    try (Stream<Path> files = Files.list(runs)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (UNFINISHED.matcher(file.getFileName().toString()).matches()) {
          bytes += Files.size(file);
          Files.delete(file);
          count++;
        }
      }
    }
    if (count > 0) {
      LOG.info("deleted unfinished runs directory={} files={} bytes={}", runs, count, bytes);
    }
  }

  private static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
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
      if (RunFiles.runId(file).isEmpty()) {
        // The probe has a fixed name. If the directory vanishes during a probe, its file stays
        // behind and must not fail the next probe.
        Files.deleteIfExists(temporary);
      }
      channel = createNew(temporary);
      boolean shared = false;
      try {
        config.rights().share(temporary);
        shared = true;
      } finally {
        if (!shared) {
          close();
        }
      }
    }

    @Override
    public FileChannel channel() {
      return channel;
    }

    @Override
    public void commit() throws IOException {
      long length = channel.size();
      if (fsync == Fsync.RUN) {
        channel.force(true);
      }
      channel.close();
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
      committed = true;
      storedBytes.addAndGet(length);
      switch (fsync) {
        case NEVER -> {}
        case RUN -> force(runs);
        case INTERVAL -> notSynced.add(path.getFileName().toString());
      }
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
